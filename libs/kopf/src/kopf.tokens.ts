// kopf.tokens: the injection tokens of the module, apart from it, so that what is injected need not import what provides it.
// May import: nothing of this library.

/** Injection tokens of what has no class of its own. */
export const KOPF_OPTIONS = Symbol('KOPF_OPTIONS');
export const KOPF_CLOCK = Symbol('KOPF_CLOCK');
export const KOPF_RANDOM = Symbol('KOPF_RANDOM');
export const KOPF_LOGGER = Symbol('KOPF_LOGGER');
export const KOPF_LIFECYCLE = Symbol('KOPF_LIFECYCLE');
/** Holds the beginning of the ids of a module's handlers, in the feature module that it imports. */
export const KOPF_ID_PREFIX = Symbol('KOPF_ID_PREFIX');
