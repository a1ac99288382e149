/** Injection token of the options with their defaults. */
export const KOPF_HEALTH_SETTINGS = Symbol('KOPF_HEALTH_SETTINGS');

/** Injection token of the indicators that the routes ask, in the module of each import. */
export const KOPF_HEALTH_INDICATORS = Symbol('KOPF_HEALTH_INDICATORS');
