import { formatTimestamp, parseTimestamp } from 'kube-common';
import {
  explain,
  toDetected,
  type ExplainedChange,
  type ExplainedOperator,
  type Explanation,
  type FailedBackground,
} from '../../explanation/explanation.js';
import { addRemedy } from '../../explanation/remedies.js';
import { matchHandlers, selectsChanges, type HandlerMatch } from '../../explanation/handler.matches.js';
import { toStoredProgress, type StoredProgress } from '../../explanation/stored.state.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import type { CauseOrigin } from '../../../contexts/object.causes.js';
import { ResourcePatch } from '../../../objects/patches.js';
import { REDACTED } from '../../../objects/redaction.js';
import type { Resource } from '../../../resources/resources.js';
import type {
  InspectedBackgroundRun,
  InspectedFinalizer,
  InspectedFinding,
  InspectedObjectDetails,
  InspectedProgress,
  InspectedRelative,
} from '../../inspection.types.js';
import { InspectionError } from '../../inspection.error.js';
import type { ObjectAddress } from '../../operator.inspection.js';
import { explainUnseen, findIdleReasons } from '../answers/handling.preconditions.js';
import { isDaemonOrTimer } from '../answers/memory.inspection.js';
import type { ObjectCatalog } from './object.catalog.js';
import type { ObjectHistories } from '../history/object.histories.js';
import { readEvents, readObject } from './object.reading.js';
import type { MadeResources } from './made.resources.js';
import { findRelated } from './related.objects.js';
import { readRelatives, uniteRelatives } from './object.relatives.js';
import { phaseOf, THROTTLED, type ObjectState, type ObjectStates, type StuckReason } from './object.states.js';
import { describeSpan } from '../../objects/time.spans.js';
import { showChanges, showObject } from '../../objects/shown.object.js';
import type { OperatorConcealment } from '../operator.concealment.js';
import type { InspectedServices } from '../inspected.services.js';

/** The dependencies of the details beside the services of the operator. */
export interface DetailsDependencies {
  readonly catalog: ObjectCatalog;
  readonly states: ObjectStates;
  readonly histories: ObjectHistories;
  readonly concealment: OperatorConcealment;
  readonly made: MadeResources;
  /** Returns the ids of the handlers that have failed for good on the object, and can be called again. */
  readonly findRepeatable: (body: KubeObject) => readonly string[];
  readonly traceUrl?: string;
}

/**
 * The details of one object. They are the only answer about objects that makes requests to the API server, when a viewer opens the object.
 */
export class ObjectDetails {
  constructor(
    private readonly services: InspectedServices,
    private readonly dependencies: DetailsDependencies,
  ) {}

  /** @throws InspectionError 404 if there is no such object, or if the operator does not watch its resource. */
  async inspect(address: ObjectAddress, signal: AbortSignal): Promise<InspectedObjectDetails> {
    const { catalog, states, histories, concealment } = this.dependencies;
    const { api } = this.services;
    const resource = catalog.findResource(address.resource);
    if (!resource) throw new InspectionError(404, `The operator does not watch ${address.resource}.`);
    const body = await readObject(api, resource, address, signal);
    const { uid = '', name = '', namespace, deletionTimestamp } = body.metadata;
    const state = states.of(uid);
    const identified = { uid, name, namespace, isDeleting: deletionTimestamp !== undefined };
    const conceal = (message: string): string => concealment.error(resource, message)!;
    const { explanation, handlers } = this.explain(resource, body, state);
    const stored = explanation.state.flatMap((each) => each.progress).map(toProgress);
    const known = state?.progress ?? [];
    // An operator that does not handle the object has no progress of changes in its memory.
    const progress = known.some(({ background }) => background === undefined) ? known : [...stored, ...known];
    const [kubernetesEvents, relatives] = await Promise.all([
      readEvents(api, body, conceal, signal),
      this.readRelatives(resource, body, signal),
    ]);
    const trace = this.traceOf(uid);
    const told = explanation.findings.filter(({ code }) => !state || !isOverruled(code, state));
    const findings: InspectedFinding[] = told.map(({ code, text, at, remedy, problem }) => ({
      code,
      text: this.concealText(resource, text, [...stored, ...progress]),
      ...(at !== undefined && { at }),
      ...(remedy !== undefined && { remedy }),
      ...(problem && { problem }),
    }));
    const isPossible = !progress.some((each) => each.state === 'running');
    if (state) findings.push(...explainState(state, this.services.clock.now()).map(addRemedy));
    return {
      object: catalog.show(resource, identified, state ?? { phase: phaseOf(progress), progress }),
      body: showObject(concealment.redactor, resource, body),
      progress: progress.map((each) => (each.error === undefined ? each : { ...each, error: conceal(each.error) })),
      repeatable: isPossible ? this.dependencies.findRepeatable(body) : [],
      changes: showChanges(concealment.redactor, resource, explanation.changes),
      finalizers: explanation.finalizers.map((each) => toInspectedFinalizer(each, findings)),
      findings,
      handlers,
      events: histories.eventsOf(uid),
      kubernetesEvents,
      relatives,
      daemons: this.backgroundOf(uid),
      ...(trace !== undefined && { trace }),
    };
  }

  /** Reads the relatives from the API server first, as the memory has only parts of objects. */
  private async readRelatives(
    resource: Resource,
    body: KubeObject,
    signal: AbortSignal,
  ): Promise<readonly InspectedRelative[]> {
    const { api, watchers, registry } = this.services;
    const watched = [...new Set([...watchers.all].map((watcher) => watcher.resource))];
    const made = await this.dependencies.made.find(watched, body.metadata.namespace, signal);
    const read = await readRelatives(api, [...watched, ...made], body, signal);
    return uniteRelatives([...read, ...findRelated(registry, watched, resource, body)]);
  }

  private explain(resource: Resource, body: KubeObject, state: ObjectState | undefined) {
    const { settings, registry, lifecycle, peering, clock, logger } = this.services;
    const { finalizer, formerFinalizers, diffbaseStorage: diffbase, progressStorage: progress } = settings.persistence;
    const { extraFields } = registry.handlersOf(resource);
    const peers = [...peering.peers].sort((one, other) => other.priority - one.priority);
    const explained = { finalizer, formerFinalizers, storages: { diffbase, progress }, extraFields };
    const memory = { memo: lifecycle.engine?.inventory.peek(body).memo ?? {} };
    const origin = { resource, body, patch: new ResourcePatch(), memory, indices: this.services.indices.all, logger };
    const explanation = explain({
      body,
      settings: explained,
      peers,
      now: clock.now(),
      failures: this.failuresOf(body),
      operator: this.describeOperator(resource, body, state, origin),
    });
    const { redactor } = this.dependencies.concealment;
    const conceal = (value: unknown): unknown =>
      value !== undefined && redactor.protects(resource) ? REDACTED : value;
    const handlers: readonly HandlerMatch[] = matchHandlers(registry, origin, toDetected(explanation.change), conceal);
    return { explanation: explanation as Explanation, handlers };
  }

  /** Describes what this operator can do for the object. */
  private describeOperator(
    resource: Resource,
    { metadata: { uid = '', namespace } }: KubeObject,
    state: ObjectState | undefined,
    origin: CauseOrigin,
  ): ExplainedOperator {
    const { lifecycle, registry, watchers, options, settings } = this.services;
    const { concealment } = this.dependencies;
    const { name } = options.coordination === 'lease' ? settings.lease : settings.peering;
    const idle = findIdleReasons(lifecycle, name);
    const rejected = lifecycle.engine?.inventory.find(uid)?.rejections ?? [];
    const rejections = [...rejected].map(
      ([part, { error }]) => [part, concealment.error(resource, error.message)!] as const,
    );
    const unseen = idle.length > 0 ? undefined : explainUnseen(watchers, resource, namespace, uid);
    const selects = (change: ExplainedChange): boolean | undefined =>
      selectsChanges(registry, origin, toDetected(change));
    const background = (state?.progress ?? []).flatMap(toFailedBackground);
    return { idle, ...(unseen !== undefined && { unseen }), selects, rejections: new Map(rejections), background };
  }

  /** The handlers that have failed for good in the last handling; `undefined` if this process does not know. */
  private failuresOf({ metadata: { uid = '' } }: KubeObject): readonly StoredProgress[] | undefined {
    const { lifecycle, clock } = this.services;
    const memory = lifecycle.engine?.inventory.find(uid);
    if (!memory?.knowsFailures) return undefined;
    const records = [...(memory.failedHandling?.records ?? [])];
    return records.map(([id, record]) => toStoredProgress(id, [], record, clock.now()));
  }

  /** Redacts the stored errors of handlers in a sentence. */
  private concealText(resource: Resource, text: string, progress: readonly InspectedProgress[]): string {
    if (!this.dependencies.concealment.redactor.protects(resource)) return text;
    let shown = text;
    for (const { error } of progress) if (error) shown = shown.replaceAll(error, REDACTED);
    return shown;
  }

  private backgroundOf(uid: string): readonly InspectedBackgroundRun[] {
    const { lifecycle, clock } = this.services;
    const runs = [...(lifecycle.engine?.inventory.find(uid)?.background?.runs.values() ?? [])];
    const toWallClock = clock.now() - clock.monotonic();
    return runs.filter(isDaemonOrTimer).map(({ handler, isStopping, due }) => {
      const { kind } = handler;
      const state = isStopping ? 'stopping' : 'running';
      return { handler: handler.id, kind, state, ...(kind === 'timer' && due > 0 && { nextAt: due + toWallClock }) };
    });
  }

  private traceOf(uid: string): string | undefined {
    const { traceUrl, histories } = this.dependencies;
    const stored = [...(this.services.lifecycle.engine?.inventory.find(uid)?.knownProgress?.values() ?? [])];
    const parent = histories.traceparentOf(uid) ?? stored.find(({ traceparent }) => traceparent)?.traceparent;
    const traceId = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(parent ?? '')?.[1];
    return traceUrl === undefined || traceId === undefined ? undefined : traceUrl.replaceAll('{traceId}', traceId);
  }
}

/** Describes the progress of a handler as it is stored with the object. */
export function toProgress({
  id,
  state,
  attempts,
  purpose,
  started,
  stopped,
  due,
  message,
}: StoredProgress): InspectedProgress {
  const [startedAt, dueAt] = [parseTimestamp(started), parseTimestamp(due)];
  const failedAt = state === 'failed' ? parseTimestamp(stopped) : undefined;
  return {
    handler: id,
    state,
    attempts,
    ...(purpose !== undefined && { purpose }),
    ...(startedAt !== undefined && { startedAt }),
    ...(dueAt !== undefined && { dueAt }),
    ...(failedAt !== undefined && { failedAt }),
    ...(message !== undefined && { error: message }),
  };
}

/** Describes a daemon or a timer whose last call has failed as if it were stored. */
function toFailedBackground({
  handler,
  background: kind,
  state,
  attempts,
  dueAt,
  failedAt,
  error,
}: InspectedProgress): FailedBackground[] {
  if (kind === undefined) return [];
  const ended = state === 'failed' ? 'failed' : 'waiting';
  return [
    {
      id: handler,
      kind,
      places: [],
      state: ended,
      attempts,
      ...(dueAt !== undefined && { due: formatTimestamp(dueAt) }),
      ...(failedAt !== undefined && { stopped: formatTimestamp(failedAt) }),
      ...(error !== undefined && { message: error }),
    },
  ];
}

/** The findings from what is stored that are not true while a handler runs: what is stored does not show it. */
const NOT_WHILE_RUNNING: ReadonlySet<string> = new Set([
  'never-handled',
  'handled',
  'change-not-handled',
  'handler-begun',
  'handler-overdue',
  'deletion-without-operator',
]);

function isOverruled(code: string, { progress }: ObjectState): boolean {
  return NOT_WHILE_RUNNING.has(code) && progress.some(({ state }) => state === 'running');
}

/** Explains what only the operator's memory shows: the handlers that run, and the reason why the object is left alone. */
function explainState({ progress, stuck }: ObjectState, now: number): InspectedFinding[] {
  const running = progress.filter(({ state }) => state === 'running');
  const findings = running.map(({ handler, startedAt = now }): InspectedFinding => {
    const span = describeSpan((now - startedAt) / 1000);
    if (stuck?.handler !== handler)
      return { code: 'handler-running', text: `The handler ${handler} has been running for ${span}.` };
    const text = `The handler ${handler} has been running for ${span}; nothing else is done for this object until it returns${describeWaiting(stuck)}.`;
    return { code: 'handler-stuck', text, problem: true };
  });
  const isThrottled = stuck?.text === THROTTLED.text;
  return isThrottled ? [...findings, { code: 'object-throttled', text: THROTTLED.text, problem: true }] : findings;
}

function describeWaiting({ events = 0 }: StuckReason): string {
  if (events === 0) return '';
  return events === 1 ? ': 1 change of it waits' : `: ${events} changes of it wait`;
}

function toInspectedFinalizer(
  { name, owner }: Explanation['finalizers'][number],
  findings: readonly { readonly text: string }[],
): InspectedFinalizer {
  const reason = findings.find(({ text }) => text.includes(`finalizer ${name}`))?.text;
  return { name, owner, ...(reason !== undefined && { reason }) };
}
