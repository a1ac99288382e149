/** Injection token of the options with their defaults. */
export const KOPF_HEALTH_SETTINGS = Symbol('KOPF_HEALTH_SETTINGS');
