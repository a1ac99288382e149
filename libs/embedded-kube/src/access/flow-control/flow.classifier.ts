import { mapping } from '../../common/json.values.js';
import type { ApiUser } from '../../machinery/api.user.js';
import type { AuthorizationAttributes } from '../../machinery/authorizer.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { accountOf } from '../users.js';

export const FLOW_CONTROL_GROUP = 'flowcontrol.apiserver.k8s.io';
const SCHEMAS = `flowschemas.${FLOW_CONTROL_GROUP}`;
const LEVELS = `prioritylevelconfigurations.${FLOW_CONTROL_GROUP}`;

/** The headers of an answer that name the flow schema and the priority level of its request. */
export type FlowHeaders = Readonly<Record<string, string>>;

interface Subject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

interface Rule {
  readonly subjects?: readonly Subject[];
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly NonResourceRule[];
}

interface Flow {
  readonly precedence: number;
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly headers: FlowHeaders;
}

/**
 * The flow schemas and priority levels of requests, by the stored ones, as in priority and fairness of the real server. Requests are not
 * queued: one process answers them one after the other.
 */
export class FlowClassifier {
  private flows: readonly Flow[] | undefined;

  constructor(private readonly store: ObjectStore) {
    const forget = (): void => void (this.flows = undefined);
    for (const key of [SCHEMAS, LEVELS]) store.collection(key).subscribe(forget);
  }

  /** @returns the headers with the first flow schema that matches; `undefined` if none does */
  classify(attributes: AuthorizationAttributes): FlowHeaders | undefined {
    this.flows ??= this.read();
    return this.flows.find(({ rules }) => rules.some((rule) => matches(rule, attributes)))?.headers;
  }

  /** Returns the schemas in the order in which they are asked; those without a priority level match nothing. */
  private read(): readonly Flow[] {
    const levels = this.store.collection(LEVELS);
    const flows: Flow[] = [];
    for (const { object } of this.store.collection(SCHEMAS).list()) {
      const spec = mapping(object['spec']);
      const level = levels.get('', String(mapping(spec['priorityLevelConfiguration'])['name']))?.object;
      if (level) flows.push(flowOf(object, spec, level));
    }
    return flows.sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  }
}

function flowOf({ metadata }: KubeObject, spec: Readonly<Record<string, unknown>>, level: KubeObject): Flow {
  return {
    precedence: Number(spec['matchingPrecedence']),
    name: metadata.name!,
    rules: (spec['rules'] ?? []) as readonly Rule[],
    headers: {
      'x-kubernetes-pf-flowschema-uid': metadata.uid!,
      'x-kubernetes-pf-prioritylevel-uid': level.metadata.uid!,
    },
  };
}

function matches(
  { subjects = [], resourceRules = [], nonResourceRules = [] }: Rule,
  asked: AuthorizationAttributes,
): boolean {
  if (!subjects.some((subject) => includes(subject, asked.user))) return false;
  const { path } = asked;
  return path === undefined
    ? resourceRules.some((rule) => matchesResource(rule, asked))
    : nonResourceRules.some(
        ({ verbs, nonResourceURLs }) =>
          has(verbs, asked.verb) && nonResourceURLs.some((pattern) => matchesPath(pattern, path)),
      );
}

function includes({ kind, user, group, serviceAccount }: Subject, { name, groups }: ApiUser): boolean {
  if (kind === 'User') return user!.name === '*' || user!.name === name;
  if (kind === 'Group') return group!.name === '*' || groups.includes(group!.name);
  const account = accountOf(name);
  return (
    account !== undefined &&
    account.namespace === serviceAccount!.namespace &&
    (serviceAccount!.name === '*' || serviceAccount!.name === account.name)
  );
}

function matchesResource(
  rule: ResourceRule,
  { verb, group, resource, namespace, name }: AuthorizationAttributes,
): boolean {
  if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, resource)) return false;
  // A namespace counts as being in itself.
  const where = namespace || (group === '' && resource.split('/')[0] === 'namespaces' ? name : '');
  return where ? has(rule.namespaces ?? [], where) : rule.clusterScope === true;
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1));
}

function has(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}
