/** Injection token of the options with their defaults, which are common to all operators of one import. */
export const COMMON_HEALTH_SETTINGS = Symbol('COMMON_HEALTH_SETTINGS');

/** Injection token of the settings of one operator. */
export const KOPF_HEALTH_SETTINGS = Symbol('KOPF_HEALTH_SETTINGS');

/** Injection token of the indicators that the routes ask, in the module of each import. */
export const KOPF_HEALTH_INDICATORS = Symbol('KOPF_HEALTH_INDICATORS');
