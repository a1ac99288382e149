import type { OperatorInspection } from './operator.inspection.js';

/** A class that has what the interface says, though it is made elsewhere: interfaces cannot be injected. */
const Inspector = class {} as unknown as abstract new () => OperatorInspection;

/**
 * The inspection of the application's operator, to inject where `KopfInspectionModule` is imported.
 *
 * @example
 * constructor(private readonly inspector: KopfInspector) {}
 */
export abstract class KopfInspector extends Inspector {}
