import type { RunningInspection } from './operator.readings.js';

/**
 * The inspection of the application's operator, to inject where `KopfInspectionModule` is imported.
 *
 * @example
 * constructor(private readonly inspector: KopfInspector) {}
 */
// Interfaces cannot be injected: the class is a token, and has what the interface says.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export abstract class KopfInspector {}

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface KopfInspector extends RunningInspection {}
