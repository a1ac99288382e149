import { readFileSync } from 'node:fs';

/** One of Kubernetes' own tests. */
export interface KubernetesTest {
  /** The names of its groups and its own, as the test binary joins them. */
  readonly name: string;
  /** Belongs to the sample that `npm run test:cluster` runs. */
  readonly sampled: boolean;
}

/** Reads the list: a name on each line, those of the sample after a plus sign, and comments. */
export function readTests(file = new URL('./tests.txt', import.meta.url)): KubernetesTest[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => ({ name: line.slice(1).trim(), sampled: line.startsWith('+') }));
}

/** Tells a test that must run alone, as it disturbs others. */
export function isSerial({ name }: KubernetesTest): boolean {
  return name.includes('[Serial]');
}
