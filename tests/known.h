/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KNOWN_H
#define IRONRIG_KNOWN_H

/*
 * Data sets with published answers, for the tests of runner/analysis.
 */

/* R's sleep: extra hours under drug 1 and drug 2, ten patients */
static const double SLEEP_1[] = {
	.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2
};
static const double SLEEP_2[] = {
	1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4
};
/* R's PlantGrowth: dried weights */
static const double PLANT_CTRL[] = { 4.17, 5.58, 5.18, 6.11, 4.5,
				     4.61, 5.17, 4.53, 5.33, 5.14 };
static const double PLANT_TRT1[] = { 4.81, 4.17, 4.41, 3.59, 5.87,
				     3.83, 6.03, 4.89, 4.32, 4.69 };
/* will-it-scale lock1, 4 threads: three runs before and after a patch */
static const double MAIL2_BEFORE[] = { 2311086, 2343761, 2321886 };
static const double MAIL2_AFTER[] = { 2338462, 2335768, 2346754 };

#endif
