import type { KubeRequest } from 'nestjs-kopf';
import type { FaultAction, FaultTarget } from './schedule.plan.js';

/** A fault that requests meet. */
export type RequestFault = Extract<FaultAction, { readonly times: number }>;

const OBJECTS = /\/kopfexamples(\/|\?|$)/;

/** The faults that wait for requests of the operator, and a count of those that have hit. */
export class RequestFaults {
  /** Counts the faults that have really happened, by their kinds. */
  readonly hits: Record<string, number> = {};
  private readonly pending: { readonly fault: RequestFault; left: number }[] = [];

  inject(fault: RequestFault): void {
    this.pending.push({ fault, left: fault.times });
  }

  /** The fault that the request meets, if any: the one that was injected first. */
  take(request: KubeRequest): RequestFault | undefined {
    const met = this.pending.find(({ fault }) => isMet(fault.target, request));
    if (!met) return undefined;
    if (--met.left === 0) this.pending.splice(this.pending.indexOf(met), 1);
    const { fault } = met;
    this.count(fault.do === 'reject' ? `${fault.status}` : `${fault.do} ${fault.phase}`);
    return fault;
  }

  count(kind: string, times = 1): void {
    if (times > 0) this.hits[kind] = (this.hits[kind] ?? 0) + times;
  }

  /** Cancels all faults that no request has met yet. */
  clear(): void {
    this.pending.length = 0;
  }
}

/** Tells whether the request is a watch of the objects. */
export function isWatch({ method, path }: KubeRequest): boolean {
  return method === 'GET' && OBJECTS.test(path) && /[?&]watch=/.test(path);
}

/** Tells whether the request writes an object or its status. */
export function isWrite({ method, path }: KubeRequest): boolean {
  return method !== 'GET' && OBJECTS.test(path);
}

function isMet(target: FaultTarget, request: KubeRequest): boolean {
  switch (target) {
    case 'write':
      return isWrite(request);
    case 'status':
      return isWrite(request) && request.path.endsWith('/status');
    case 'watch':
      return isWatch(request);
    case 'read':
      return request.method === 'GET' && OBJECTS.test(request.path) && !isWatch(request);
  }
}
