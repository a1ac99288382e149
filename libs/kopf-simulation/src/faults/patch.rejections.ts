import type { Clock, KubeResponse } from 'kube-common';
import type { PatchRejection, RejectedPatchFault, SimulationFault } from '../simulation.plan.js';
import { rejectWith, type RejectionText } from './fault.response.js';
import type { FrameworkPatch } from './patch.parts.js';

/** The progress of a fault: the number of patches that it could have hit, and the time at which it ends, in milliseconds. */
interface Progress {
  seen: number;
  end?: number;
}

/** An object as faults select it. */
export type PatchedObject = Pick<FrameworkPatch, 'resource' | 'namespace' | 'name'>;

/** Rejects parts of the operator's patches, for a while or until the end of the run. */
export class PatchRejections {
  private readonly faults: ReadonlyMap<RejectedPatchFault, Progress>;
  private readonly fired = new Set<RejectedPatchFault>();
  private isHealed = false;
  /** The time at which the first fault without an end has begun, in milliseconds; absent if there is none. */
  endlessSince?: number;

  constructor(
    faults: readonly SimulationFault[],
    private readonly clock: Clock,
    private readonly fire: (fault: SimulationFault) => void,
  ) {
    this.faults = new Map(
      faults.filter((fault) => fault.kind === 'rejected-patch').map((fault) => [fault, { seen: 0 }]),
    );
  }

  /** Whether there are faults that depend on the parts of patches. */
  get isWanted(): boolean {
    return this.faults.size > 0;
  }

  /** The faults that have happened. */
  get rejected(): readonly RejectedPatchFault[] {
    return [...this.fired];
  }

  /** The faults that have happened and last until the end of the run. */
  get endless(): readonly RejectedPatchFault[] {
    return this.rejected.filter(({ forever }) => forever === true);
  }

  /** Whether a fault that has happened has rejected a patch of the object, or could have. */
  concerns(object: PatchedObject): boolean {
    return [...this.fired].some((fault) => selects(fault, object));
  }

  /** Injects faults before a patch is sent. @returns the response if the server is not to get the patch */
  answer(patch: FrameworkPatch): KubeResponse | undefined {
    for (const [fault, progress] of this.faults) {
      if (!matches(fault, patch)) continue;
      progress.seen += 1;
      if (!this.isDue(fault, progress)) continue;
      this.fired.add(fault);
      if (fault.forever) this.endlessSince ??= this.clock.monotonic();
      this.fire(fault);
      return respond(fault.by, patch);
    }
    return undefined;
  }

  /** Ends all faults that have an end. */
  heal(): void {
    this.isHealed = true;
  }

  private isDue({ fromPatch = 1, times = 1, seconds, forever }: RejectedPatchFault, progress: Progress): boolean {
    if (progress.seen < fromPatch) return false;
    if (forever) return true;
    if (this.isHealed) return false;
    if (seconds === undefined) return progress.seen < fromPatch + times;
    const now = this.clock.monotonic();
    return now < (progress.end ??= now + seconds * 1000);
  }
}

/** Whether a fault selects an object. */
export function selects({ resource, namespace, name }: RejectedPatchFault, object: PatchedObject): boolean {
  if (resource !== object.resource) return false;
  return name === undefined || (name === object.name && namespace === object.namespace);
}

function matches(fault: RejectedPatchFault, patch: FrameworkPatch): boolean {
  const isOfFormat = fault.format === undefined || fault.format === patch.format;
  return isOfFormat && selects(fault, patch) && patch.parts.has(fault.part);
}

/** The error responses in the words of API servers. */
function respond(by: PatchRejection, patch: FrameworkPatch): KubeResponse {
  return typeof by === 'number' ? rejectWith(by, undefined, WORDS[by]?.(patch)) : NAMED[by](patch);
}

type Wording = (patch: FrameworkPatch) => RejectionText;

const WORDS: Readonly<Record<number, Wording>> = {
  403: ({ resource, name }) => ({
    message: `${resource} "${name}" is forbidden: User "operator" cannot patch resource "${resource}"`,
  }),
  404: () => ({ message: 'the server could not find the requested resource' }),
  409: ({ resource, name }) => ({
    message: `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  }),
  413: () => ({ message: 'Request entity too large: limit is 3145728' }),
  422: () => ({ message: 'the server rejected our request due to an error in our request' }),
};

const NAMED: Readonly<Record<Exclude<PatchRejection, number>, (patch: FrameworkPatch) => KubeResponse>> = {
  schema: ({ resource, name }) =>
    rejectWith(422, undefined, {
      message: `${resource} "${name}" is invalid: spec.simulated: Invalid value`,
      causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value', field: 'spec.simulated' }],
    }),
  etcd: () => rejectWith(500, undefined, { message: 'etcdserver: request is too large', reason: '' }),
  policy: ({ resource, name }) =>
    rejectWith(422, undefined, {
      message: `${resource} "${name}" is forbidden: ValidatingAdmissionPolicy 'simulated.example.com' with binding 'simulated' denied request: The simulation denies it.`,
      causes: [
        { message: "ValidatingAdmissionPolicy 'simulated.example.com' with binding 'simulated' denied request" },
      ],
    }),
  webhook: () =>
    rejectWith(403, undefined, {
      message: 'admission webhook "simulated.example.com" denied the request: The simulation denies it.',
    }),
};
