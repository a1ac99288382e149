import type { Violation } from './violation.js';

/** The resources that an operator holds open. */
export interface HeldResources {
  /** Timers on the virtual clock. */
  readonly timers: number;
  /** Requests that are not answered yet. */
  readonly requests: number;
  /** The open watches, by their paths with the selectors. */
  readonly watches: ReadonlyMap<string, number>;
}

/** Real resources of the process, by their names in Node.js, that an operator must not leave open. */
const REAL_RESOURCES = /^(TCPSocketWrap|TCPServerWrap|TLSWrap|UDPWrap|FSEventWrap|ProcessWrap)$/;

/** The paths that an operator watches to know what the cluster serves. Its handlers can have further watches of these. */
const OBSERVED: ReadonlySet<string> = new Set([
  '/api/v1/namespaces?',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?',
]);

/** Checks that an operator at rest has each watch once, apart from those of what the cluster serves. */
export function checkWatches({ watches }: HeldResources): readonly Violation[] {
  return [...watches]
    .filter(([path, open]) => open > (OBSERVED.has(path) ? 2 : 1))
    .map(([path, open]) => ({ check: 'leaks', message: `at rest, ${open} watches are open of ${path}` }));
}

/** Checks that an operator that has stopped leaves nothing open. */
export function checkRemains({ timers, requests, watches }: HeldResources): readonly Violation[] {
  const open = [...watches].filter(([, count]) => count > 0).map(([path]) => path);
  const found = [
    timers > 0 && `${timers} timers`,
    requests > 0 && `${requests} requests without an answer`,
    open.length > 0 && `open watches of ${open.join(', ')}`,
  ].filter((each) => each !== false);
  return found.map((what) => ({ check: 'leaks', message: `of the operator that has stopped are left: ${what}` }));
}

/** Counts the sockets, servers, files, and processes that this process has open. */
export function countRealResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (REAL_RESOURCES.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** Checks that a run leaves no sockets, servers, files, or processes open. */
export function checkRealResources(before: ReadonlyMap<string, number>): readonly Violation[] {
  return [...countRealResources()]
    .filter(([type, count]) => count > (before.get(type) ?? 0))
    .map(([type]) => ({
      check: 'leaks',
      message: `what the operator has opened outside of the cluster is left: ${type}`,
    }));
}
