import type { KubeObject } from '../../objects/kube-object.js';
import type { CallRecorder } from '../records/call.recorder.js';
import type { CycleRecorder } from '../records/cycle.recorder.js';
import type { ObjectReference } from '../server/test.client.js';

/** Returns the text for an object in messages: `Pod 'default/web'`. */
export function describeObject({ kind, metadata: { name, namespace } }: ObjectReference): string {
  return `${kind} '${namespace === undefined ? '' : `${namespace}/`}${name}'`;
}

/** Returns why an object is not handled: by the last error of its handlers or, without any, by what the operator has seen of it. */
export function explainUnhandled(object: ObjectReference, calls: CallRecorder, cycles: CycleRecorder): string {
  const text = `${describeObject(object)} was not handled`;
  const last = calls.of(object).findLast(({ error }) => error);
  if (last)
    return `${text}: attempt ${last.retry + 1} of '${last.id}' failed (${last.error?.name}: ${last.error?.message})`;
  if (cycles.hasSeen(object as KubeObject))
    return `${text}: the operator is busy with it, or has not seen its present state`;
  return `${text}: the operator has not seen it (is there a handler of this kind, and does its selector match?)`;
}
