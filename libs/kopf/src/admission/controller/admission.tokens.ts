/** Injection tokens of what the controller of reviews is made of. */
export const ADMISSION_PATH = Symbol('ADMISSION_PATH');
/** The class of the module, which `RouterModule` can give a path of its own. */
export const ADMISSION_MODULE = Symbol('ADMISSION_MODULE');
export const ADMISSION_ADDRESS = Symbol('ADMISSION_ADDRESS');
