import { jsonEqual, mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';
import { labelSelectorOf, type LabelSelector, type LabelSelectorObject } from '../selectors/label.selector.js';
import type { Controller, ControllerContext, ResourceId } from './controller.js';
import { ignoringGone, WorkQueue } from './work.queue.js';

const ROLES: ResourceId = { group: 'rbac.authorization.k8s.io', plural: 'clusterroles' };

/** The controller that fills the rules of ClusterRoles with an `aggregationRule` from the roles whose labels match it. */
export class RoleAggregator implements Controller {
  readonly name = 'clusterrole-aggregation-controller';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void) | undefined;

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (name) => this.process(name), context);
    this.unwatch = context.client.watch(ROLES, () => this.addAll());
    this.addAll();
  }

  async stop(): Promise<void> {
    this.unwatch?.();
    await this.queue?.stop();
  }

  /** Checks all aggregated roles, which are few, as the role may belong to any of them. */
  private addAll(): void {
    for (const role of this.context.client.list(ROLES)) {
      if (selectorsOf(role).length > 0) this.queue.add(role.metadata.name!);
    }
  }

  private async process(name: string): Promise<void> {
    const { client } = this.context;
    const role = client.get(ROLES, undefined, name);
    const selectors = role ? selectorsOf(role) : [];
    if (!role || selectors.length === 0) return;
    const rules: unknown[] = [];
    for (const selector of selectors) {
      for (const each of client.list(ROLES)) {
        if (each.metadata.name === name || !selector.matches(each.metadata.labels)) continue;
        for (const rule of (each['rules'] ?? []) as readonly unknown[]) {
          if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
        }
      }
    }
    if (jsonEqual(rules, role['rules'] ?? [])) return;
    await ignoringGone(client.update(ROLES, undefined, name, { ...role, rules }));
  }
}

function selectorsOf(role: KubeObject): readonly LabelSelector[] {
  const selectors = mapping(role['aggregationRule'])['clusterRoleSelectors'];
  return Array.isArray(selectors) ? selectors.map((each) => labelSelectorOf(each as LabelSelectorObject)) : [];
}
