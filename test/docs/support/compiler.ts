import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Compiles texts as files of the workspace, with its settings, in a thread of its own: it takes seconds.
 *
 * @param files the texts by the paths of their files, which need not exist
 * @returns the errors of each text, as `path:line: message`
 */
export async function compile(files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const worker = new Worker(new URL('./compiler.worker.mjs', import.meta.url), { workerData: files });
  const [errors] = (await once(worker, 'message')) as [readonly string[]];
  return errors;
}
