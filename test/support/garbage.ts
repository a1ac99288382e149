import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much memory is in use after a collection of garbage, in bytes. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
