import { readFileSync } from 'node:fs';

/** A note of a replica about one call of a handler. */
export interface ReplicaNote {
  readonly by: string;
  readonly what: 'begin' | 'end';
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The notes of all replicas, from the file that they share. */
export function readNotes(file: string): readonly ReplicaNote[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as ReplicaNote);
}

/** Finds work that two replicas were doing at the same time on the same object; work that was begun ends with the death of its replica. */
export function overlapsOf(notes: readonly ReplicaNote[], dead: string, died: number): readonly string[] {
  const runs = notes
    .filter(({ what }) => what === 'begin')
    .map(({ by, name, at }) => {
      const end = notes.find((note) => note.what === 'end' && note.by === by && note.name === name && note.at >= at);
      const isCut = by === dead && at <= died;
      return { by, name, from: at, to: Math.min(end?.at ?? Infinity, isCut ? died : Infinity) };
    });
  return runs.flatMap((one) =>
    runs
      .filter((other) => other.name === one.name && other.by > one.by && one.from < other.to && other.from < one.to)
      .map((other) => `${one.name}: ${one.by} ${one.from}-${one.to}, ${other.by} ${other.from}-${other.to}`),
  );
}
