/** Hashes by the names of what they are of: paths of files, and others. */
export type Hashes = Readonly<Record<string, string>>;

export interface BuildRecord {
  readonly inputs: Hashes;
  readonly outputs: Hashes;
}

export function findReasonToBuild(record: Partial<BuildRecord> | undefined, current: BuildRecord): string | undefined;
export function hashFiles(root: string, paths: readonly string[], isIncluded?: (path: string) => boolean): Hashes;
export function readRecord(file: string): Partial<BuildRecord> | undefined;
export function writeRecord(file: string, record: BuildRecord): void;
export function removeRecord(file: string): void;
