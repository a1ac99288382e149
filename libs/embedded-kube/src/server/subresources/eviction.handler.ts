import type { Clock } from 'kube-common';
import { mapping } from '../../common/json.values.js';
import { timestamp } from '../../common/timestamps.js';
import type { StatusError } from '../../errors/status.error.js';
import { badRequest, forbidden, internalError, methodNotAllowed, tooManyRequests } from '../../errors/status.errors.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { labelSelectorOf, type LabelSelectorObject } from '../../selectors/label.selector.js';
import type { StoredObject } from '../../storage/stored.object.js';
import type { ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import type { ObjectPresenter } from '../object.presenter.js';
import { deleteRequest } from '../request.options.js';
import { clientOf, type ResourceRequest, type SubresourceHandler } from '../resource.handler.js';
import { creationOptions, type SubresourceAdmission } from './subresource.admission.js';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
const BUDGETS = 'poddisruptionbudgets.policy';
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The most evictions that may wait until the disruption controller has counted them. */
const MOST_DISRUPTED = 2000;
/** The phases in which a pod serves no traffic, so that no budget protects it. */
const UNPROTECTED = new Set<unknown>(['Pending', 'Succeeded', 'Failed']);

/**
 * The handler of `pods/eviction`: deletes a pod, if its PodDisruptionBudget allows that. `kubectl drain` does so with all pods of a node.
 */
export class EvictionHandler implements SubresourceHandler {
  readonly key = 'pods/eviction';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly presenter: ObjectPresenter,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
    private readonly clock: Clock,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    this.bodies.assertObjectType(request);
    const creation = creationOptions(resourceRequest);
    const body = mapping(this.bodies.object(request, served));
    const { name: given } = mapping(body['metadata']);
    if (given !== undefined && given !== target.name)
      throw badRequest('name in URL does not match name in Eviction object');
    const eviction = await this.admission.create(resourceRequest, body, creation);
    const options = deleteRequest(info.query, eviction['deleteOptions'], clientOf(resourceRequest));
    const { object: pod } = this.machinery.get(served, target.namespace, target.name);
    const isDryRun = options.dryRun === true;
    const isProtected = !UNPROTECTED.has(mapping(pod['status'])['phase']) && !pod.metadata.deletionTimestamp;
    if (isProtected) this.charge(pod, isDryRun);
    if (!isDryRun) await this.mark(resourceRequest, pod);
    await this.machinery.deleter.delete(served, target.namespace, target.name, { ...options, admitted: true });
    return this.presenter.encode(SUCCESS, undefined, 201);
  }

  /** Takes one disruption from the budget of the pod. @throws StatusError 429 if there is none left */
  private charge(pod: KubeObject, isDryRun: boolean): void {
    const [budget, another] = this.budgetsOf(pod);
    if (another) {
      const error = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
      throw internalError(error);
    }
    if (!budget) return;
    const { spec, status, metadata } = budget.object;
    const state = mapping(status);
    const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0, observedGeneration = 0 } = state;
    if (!isReady(pod)) {
      if (mapping(spec)['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return;
      if (Number(currentHealthy) >= Number(desiredHealthy) && Number(desiredHealthy) > 0) return;
    }
    if (Number(observedGeneration) < (metadata.generation ?? 0)) {
      throw violation(10, `The disruption budget ${budget.name} is still being processed by the server.`);
    }
    const disrupted = mapping(state['disruptedPods']);
    if (Object.keys(disrupted).length > MOST_DISRUPTED) {
      const message = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
      throw forbidden({ group: 'policy', name: 'poddisruptionbudget' }, budget.name, message);
    }
    if (Number(disruptionsAllowed) <= 0) throw violation(0, refusal(budget.name, state));
    if (isDryRun) return;
    const disruptedPods = { ...disrupted, [pod.metadata.name!]: timestamp(this.clock.now()) };
    const next = { ...state, disruptionsAllowed: Number(disruptionsAllowed) - 1, disruptedPods };
    this.machinery.store.update(BUDGETS, budget, { ...budget.object, status: next });
  }

  private budgetsOf({ metadata }: KubeObject): StoredObject[] {
    return this.machinery.store
      .collection(BUDGETS)
      .list(metadata.namespace)
      .filter(({ object }) => {
        const { selector } = mapping(object['spec']);
        return selector !== undefined && labelSelectorOf(selector as LabelSelectorObject).matches(metadata.labels);
      });
  }

  /** Adds a condition to the pod with the reason why it ends. */
  private async mark({ served, target }: ResourceRequest, { metadata }: KubeObject): Promise<void> {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastTransitionTime: timestamp(this.clock.now()),
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    const { namespace, name } = target;
    const change = (current: KubeObject): unknown => {
      if (current.metadata.uid !== metadata.uid) return current;
      const status = mapping(current['status']);
      const conditions: readonly unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
      const others = conditions.filter((each) => mapping(each)['type'] !== condition.type);
      return { ...current, status: { ...status, conditions: [...others, condition] } };
    };
    const options = { admitted: true };
    await this.machinery.updater.change(served, { namespace, name, subresource: 'status' }, change, 'patch', options);
  }
}

function isReady({ status }: KubeObject): boolean {
  const { conditions } = mapping(status);
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return all.some((each) => mapping(each)['type'] === 'Ready' && mapping(each)['status'] === 'True');
}

function violation(seconds: number, message: string): StatusError {
  return tooManyRequests(VIOLATION, seconds, [{ reason: 'DisruptionBudget', message }]);
}

function refusal(name: string, status: Readonly<Record<string, unknown>>): string {
  const { conditions, currentHealthy = 0, desiredHealthy = 0 } = status;
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const allowed = mapping(all.find((each) => mapping(each)['type'] === 'DisruptionAllowed'));
  const reason = allowed['status'] === 'False' && allowed['message'] ? allowed['reason'] : undefined;
  const detail = String(allowed['message']);
  const subject = `The disruption budget ${name}`;
  if (reason === 'SyncFailed')
    return `${subject} does not allow evicting pods currently because it failed sync: ${detail}`;
  if (Number(currentHealthy) <= Number(desiredHealthy)) {
    return `${subject} needs ${String(desiredHealthy)} healthy pods and has ${String(currentHealthy)} currently`;
  }
  const rest = reason === undefined ? '' : ` (${String(reason)}): ${detail}`;
  return `${subject} does not allow evicting pods currently${rest}`;
}
