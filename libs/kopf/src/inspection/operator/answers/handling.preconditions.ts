import { errorText } from 'kube-common';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { OperatorLifecycle } from '../../../operator/operator.lifecycle.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';

/**
 * Finds the reasons why the operator handles no object at present, as sentences; none if it is at work.
 *
 * @param lead the name of the Lease or of the peering by which it leads.
 */
export function findIdleReasons(
  lifecycle: Pick<OperatorLifecycle, 'state' | 'failure' | 'waitingFor' | 'pauseStatus' | 'engine'>,
  lead: string,
): readonly string[] {
  const { state, failure, waitingFor, pauseStatus, engine } = lifecycle;
  if (pauseStatus.reasons.length > 0) return pauseStatus.reasons.map(toSentence);
  if (state === 'failed') return [toSentence(`It has failed: ${errorText(failure)}`)];
  if (state === 'starting') return [toSentence(`It is starting${waitingFor ? `, and waits for ${waitingFor}` : ''}`)];
  if (state !== 'running') return [`It is ${state}.`];
  return engine?.leadership.isValid === true
    ? []
    : [`It does not lead: ${lead} is held by another one, or has expired.`];
}

/** Explains why the operator does not see an object, in words; `undefined` if it sees the object. */
export function explainUnseen(
  watchers: Pick<WatcherSet, 'all' | 'states'>,
  resource: Resource,
  namespace: string | undefined,
  uid: string,
): string | undefined {
  const name = qualifiedName(resource);
  const isMeant = (watch: { readonly resource: Resource; readonly namespace: string | undefined }): boolean =>
    qualifiedName(watch.resource) === name && (watch.namespace ?? namespace) === namespace;
  if ([...watchers.all].some((watcher) => isMeant(watcher) && watcher.objects.get(uid))) return undefined;
  const states = watchers.states.filter(isMeant);
  if (states.length === 0) return `it does not watch ${name} in the namespace ${namespace}`;
  const broken = states.find(({ state }) => state !== 'watching');
  if (!broken) return `the watch of ${name} has not shown it yet`;
  const { state, lastError } = broken;
  return `the watch of ${name} is ${state}${lastError === undefined ? '' : `: ${errorText(lastError)}`}`;
}

function toSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
