import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';

/** Counts the patches of `kopfexamples` by the metrics of the API server, which come shortly after its responses. */
export async function countPatches(user: ClusterUser): Promise<number> {
  let last: number | undefined;
  const { count } = await eventually('the figures stand still', async () => {
    const previous = last;
    last = await readPatches(user);
    return previous === last && { count: last };
  });
  return count;
}

async function readPatches(user: ClusterUser): Promise<number> {
  const metrics = await user.text('/metrics');
  const lines = metrics
    .split('\n')
    .filter((line) => /^apiserver_request_total{.*resource="kopfexamples".*verb="PATCH"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
