// Makes histories of objects that several managers write in all ways, the same for the same seed: who owns which fields is compared after each.
import { SeededRandom } from 'kube-common';
import { RandomChoices } from '../../../support/generators/random.choices.js';
import type { RandomStep } from './program.generator.js';
import { mutate } from './object.mutations.js';
import { FREQUENT, KINDS, type RandomKind, SAMPLES } from './random.kinds.js';

type Values = Record<string, unknown>;

const MANAGERS = ['m1', 'm2', 'm3', 'm4'];
const CONDITION = { type: 'A', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' };
const TIME = '2024-01-01T00:00:00Z';

/** Statuses that managers write, by `plural.group`; the others get some fields that do not fit. */
const STATUSES: Readonly<Record<string, readonly Values[]>> = {
  pods: [
    { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }], startTime: TIME },
    {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'a.b/c', status: 'False' },
      ],
    },
    { containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 }] },
  ],
  services: [{ loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.b' }] } }, { conditions: [CONDITION] }],
  'deployments.apps': [
    { replicas: 1, updatedReplicas: 1, observedGeneration: 1 },
    {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'False' },
      ],
    },
  ],
  'statefulsets.apps': [
    { replicas: 1, currentReplicas: 1, collisionCount: 0 },
    { replicas: 0, currentRevision: 'r' },
  ],
  'replicasets.apps': [
    { replicas: 1, readyReplicas: 1 },
    { replicas: 0, conditions: [{ type: 'X', status: 'True' }] },
  ],
  persistentvolumeclaims: [{ phase: 'Bound', capacity: { storage: '1Gi' } }, { accessModes: ['ReadWriteOnce'] }],
  'ingresses.networking.k8s.io': [{ loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }],
  'jobs.batch': [
    { active: 1, startTime: TIME, ready: 0 },
    { uncountedTerminatedPods: { failed: ['u'] }, startTime: TIME },
  ],
  'cronjobs.batch': [{ lastScheduleTime: TIME }, { active: [{ kind: 'Job', name: 'j', uid: 'u' }] }],
  nodes: [{ capacity: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True' }] }, { phase: 'Running' }],
  namespaces: [{ conditions: [{ type: 'X', status: 'True' }] }],
  'poddisruptionbudgets.policy': [{ currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 }],
  resourcequotas: [{ hard: { pods: '1' }, used: { pods: '0' } }],
  'widgets.example.com': [{ size: 1 }, { ready: true }, { size: 2, ready: false }],
};
const SCALED = new Set(['deployments', 'replicasets', 'statefulsets', 'replicationcontrollers', 'widgets']);

/** Makes one history. Its object is named by its number, its namespace is `{ns}`. */
export function makeHistory(seed: number, index: number): RandomStep[] {
  const choices = new RandomChoices(new SeededRandom(seed * 1_000_033 + index));
  const kind = choices.pick(choices.withProbability(0.6) ? FREQUENT : KINDS);
  return new HistoryMaker(kind, `h${index}`, choices).make();
}

class HistoryMaker {
  private readonly sample: Values;

  constructor(
    private readonly kind: RandomKind,
    private readonly name: string,
    private readonly choices: RandomChoices,
  ) {
    this.sample = choices.pick(SAMPLES[kind.key]);
  }

  make(): RandomStep[] {
    const { choices } = this;
    const first = choices.withProbability(0.6) ? this.create() : this.apply();
    return [first, ...choices.several(6, 12, () => this.next())];
  }

  private next(): RandomStep {
    const hasStatus = this.kind.subresources.includes('status');
    const hasScale = SCALED.has(this.kind.key.split('.')[0]);
    return this.choices.weighted<RandomStep>([
      [6, () => this.apply()],
      [2, () => this.update()],
      [3, () => this.mergePatch()],
      [2, () => this.strategicPatch()],
      [2, () => this.jsonPatch()],
      [hasStatus ? 3 : 0, () => this.status()],
      [hasScale ? 3 : 0, () => this.scale()],
      [1, () => this.forget()],
      [1, () => this.giveUp()],
    ]);
  }

  private create(): RandomStep {
    return this.request('POST', '', this.whole(), this.manager());
  }

  private update(): RandomStep {
    return this.request('PUT', `/${this.name}`, this.whole(), this.manager());
  }

  private mergePatch(): RandomStep {
    return this.patch('merge-patch+json', this.part());
  }

  private strategicPatch(): RandomStep {
    return this.patch(this.isCustom ? 'merge-patch+json' : 'strategic-merge-patch+json', this.part());
  }

  private jsonPatch(): RandomStep {
    const { choices } = this;
    const fields = Object.keys(this.sample);
    const operations = choices.several(1, 3, () =>
      choices.weighted<object>([
        [3, () => ({ op: 'add', path: '/metadata/labels', value: this.labels() })],
        [2, () => ({ op: 'add', path: `/metadata/labels/${choices.pick(['x', 'y'])}`, value: 'j' })],
        [1, () => ({ op: 'remove', path: '/metadata/labels' })],
        [1, () => ({ op: 'add', path: '/metadata/annotations', value: { n: choices.pick(['1', '2']) } })],
        [fields.length > 0 ? 2 : 0, () => this.replaced(choices.pick(fields))],
      ]),
    );
    return this.patch('json-patch+json', operations);
  }

  private replaced(field: string): object {
    const value = this.varied()[field];
    return value === undefined ? { op: 'remove', path: `/${field}` } : { op: 'add', path: `/${field}`, value };
  }

  private apply(): RandomStep {
    const { choices } = this;
    const body = choices.withProbability(0.3)
      ? { ...this.head(), ...this.varied() }
      : { ...this.head(), ...this.part() };
    return this.request('PATCH', `/${this.name}`, body, this.applied(), 'apply-patch+yaml');
  }

  /** One who applied applies nothing any more. */
  private giveUp(): RandomStep {
    return this.request('PATCH', `/${this.name}`, this.head(), this.applied(), 'apply-patch+yaml');
  }

  /** Owners are removed by hand, or changed to those of somebody else. */
  private forget(): RandomStep {
    const owner = {
      manager: 'm1',
      operation: this.choices.pick(['Apply', 'Update']),
      apiVersion: this.kind.apiVersion,
      time: TIME,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:x': {} } } },
    };
    const managedFields = this.choices.pick<unknown>([[{}], [], null, [owner]]);
    return this.patch('merge-patch+json', { metadata: { managedFields } });
  }

  private status(): RandomStep {
    const { choices, kind } = this;
    const status = choices.pick(STATUSES[kind.key] ?? [{ conditions: [CONDITION] }, { observedGeneration: 1 }]);
    const path = `/${this.name}/status`;
    return choices.weighted<RandomStep>([
      [2, () => this.request('PATCH', path, { status }, this.manager(), 'merge-patch+json')],
      [1, () => this.request('PUT', path, { ...this.whole(), status }, this.manager())],
      [2, () => this.request('PATCH', path, { ...this.head(), status }, this.applied(), 'apply-patch+yaml')],
      [
        1,
        () =>
          this.request('PATCH', path, { ...this.head(), ...this.part(), status }, this.applied(), 'apply-patch+yaml'),
      ],
    ]);
  }

  private scale(): RandomStep {
    const { choices } = this;
    const spec = { replicas: choices.pick([1, 2, 3]) };
    const metadata = { name: this.name, namespace: '{ns}' };
    const path = `/${this.name}/scale`;
    return choices.weighted<RandomStep>([
      [2, () => this.request('PATCH', path, { spec }, this.manager(), 'merge-patch+json')],
      [1, () => this.request('PUT', path, { metadata, spec }, this.manager())],
      [
        2,
        () => {
          const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: this.name }, spec };
          return this.request('PATCH', path, body, this.applied(), 'apply-patch+yaml');
        },
      ],
    ]);
  }

  private get isCustom(): boolean {
    return this.kind.key === 'widgets.example.com';
  }

  private whole(): Values {
    return { ...this.head(), ...this.varied(), metadata: { name: this.name, ...this.metadata() } };
  }

  private head(): Values {
    return { apiVersion: this.kind.apiVersion, kind: this.kind.kind, metadata: { name: this.name } };
  }

  /** Some of the fields, at every depth. */
  private part(): Values {
    const { choices } = this;
    const metadata = choices.withProbability(0.5) ? { metadata: { name: this.name, ...this.metadata() } } : {};
    return { ...(thinned(this.varied(), choices) as Values), ...metadata };
  }

  private metadata(): Values {
    const { choices } = this;
    return {
      ...choices.maybe(0.6, () => ({ labels: this.labels() })),
      ...choices.maybe(0.3, () => ({ annotations: { n: choices.pick(['1', '2']) } })),
      ...choices.maybe(0.2, () => ({ finalizers: choices.pick([['e.com/a'], ['e.com/a', 'e.com/b'], []]) })),
      ...choices.maybe(0.1, () => ({ ownerReferences: [this.owner()] })),
    };
  }

  private owner(): object {
    return { apiVersion: 'no.such/v1', kind: 'Nothing', name: 'o', uid: this.choices.pick(['u1', 'u2']) };
  }

  private labels(): Values {
    const { choices } = this;
    return { ...choices.maybe(0.7, () => ({ x: choices.pick(['1', '2']) })), ...choices.maybe(0.4, () => ({ y: '' })) };
  }

  private varied(): Values {
    const { choices } = this;
    let body = this.sample;
    for (const _ of choices.several(0, 2, () => 0)) body = mutate(body, this.kind.key, choices, false);
    const { metadata: _, ...content } = body;
    return content;
  }

  /** The query that names who writes; without one, the user agent does. */
  private manager(): string {
    const { choices } = this;
    return choices.withProbability(0.15) ? '' : `?fieldManager=${choices.pick(MANAGERS)}`;
  }

  private applied(): string {
    const { choices } = this;
    return `?fieldManager=${choices.pick(MANAGERS)}${choices.pick(['', '&force=true', '&force=true', '&force=true&dryRun=All'])}`;
  }

  private patch(type: string, body: unknown): RandomStep {
    return this.request('PATCH', `/${this.name}`, body, this.manager(), type);
  }

  private request(method: string, rest: string, body: unknown, query: string, type?: string): RandomStep {
    return {
      method,
      path: `${this.kind.collection}${rest}${query}`,
      headers: type ? { 'content-type': `application/${type}` } : {},
      body,
    };
  }
}

/** Leaves out some members, at every depth; lists keep all items that make them what they are. */
function thinned(value: unknown, choices: RandomChoices): unknown {
  if (Array.isArray(value)) return value.map((each) => (choices.withProbability(0.8) ? each : thinned(each, choices)));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(() => choices.withProbability(0.75));
  return Object.fromEntries(kept.map(([key, each]) => [key, thinned(each, choices)]));
}
