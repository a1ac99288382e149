/** Injection token of the class of the module, by which its path is found. */
export const CONSOLE_MODULE = Symbol('CONSOLE_MODULE');

/** The end of the controller's path, where the server decides what is meant. */
export const ANY_PATH = '*kopfConsole';
