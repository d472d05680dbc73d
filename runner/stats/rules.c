// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A job's own extract rules: POSIX extended regular expressions, line by
 * line. That a rule is well formed is checked when the job's file is.
 */
#include "rules.h"

#include <regex.h>
#include <string.h>

static enum stat_better better_of(const char *s)
{
	if (s && !strcmp(s, "higher"))
		return STAT_HIGHER;
	return s && !strcmp(s, "lower") ? STAT_LOWER : STAT_NONE;
}

static int line(const struct conf_extract *rule, const char *testcase,
		const regex_t *re, struct text *t, struct stat_out *o,
		struct err *e)
{
	regmatch_t m[2];
	char *p;
	double v;

	if (regexec(re, t->line, 2, m, 0))
		return 0;
	if (m[1].rm_so < 0)
		return text_bad(t, e, "the rule's group matched nothing");
	t->line[m[1].rm_eo] = '\0';
	p = t->line + m[1].rm_so;
	if (text_number(t, &p, &v, e))
		return -1;
	if (p[strspn(p, " \t")])
		return text_bad(t, e, "the rule's group is not a number");
	o->run++;
	return stat_put(o, rule->unit ? rule->unit : "",
			better_of(rule->better), v, e, "%s.%s", testcase,
			rule->name);
}

int rules_text(const struct conf_extract *rule, const char *testcase,
	       struct text *t, struct stat_out *o, struct err *e)
{
	int run = o->run, rc;
	regex_t re;

	rc = regcomp(&re, rule->regex, REG_EXTENDED);
	if (rc) {
		char why[80];

		regerror(rc, &re, why, sizeof(why));
		return err_set(e, ERR_INPUT, "extract rule %s: %s", rule->name,
			       why);
	}
	if (re.re_nsub < 1)
		rc = err_set(e, ERR_INPUT, "extract rule %s: no group",
			     rule->name);
	while (!rc && text_next(t))
		rc = line(rule, testcase, &re, t, o, e);
	regfree(&re);
	if (!rc && o->run == run)
		rc = text_nothing(t, "line that the rule matches", e);
	return rc ? err_prefix(e, "rule %s", rule->name) : 0;
}
