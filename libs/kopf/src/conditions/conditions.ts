// conditions: the conditions in the status of the handled object, as Kubernetes, kubectl, and kstatus understand them. Handlers get them
// from their context; the rules of the list itself are pure and stand in objects/.
// May import: common, objects, contexts.

import type { InvocationContext } from '../contexts/contexts.interface.js';
import type { ObjectContext } from '../contexts/filter-contexts.interface.js';
import { changeConditions, type Condition, type ConditionUpdate } from '../objects/conditions.js';

/** The part of a handler's context that its object's conditions are read from and written to. */
export type ConditionsContext = Pick<ObjectContext, 'status' | 'meta' | 'patch'> &
  Partial<Pick<ObjectContext, 'resource'>> &
  Pick<InvocationContext, 'started' | 'runtime'>;

/** The conditions of the object that is being handled. */
export class Conditions {
  constructor(private readonly context: ConditionsContext) {}

  /** The conditions that the object has; conditions that this handler sets are not included yet. */
  get all(): readonly Condition[] {
    return (this.context.status as { conditions?: readonly Condition[] }).conditions ?? [];
  }

  /** Returns the condition of a type that the object has. */
  get(type: string): Condition | undefined {
    return this.all.find((condition) => condition.type === type);
  }

  /** Checks whether the object has the condition with the status `True`. */
  isTrue(type: string): boolean {
    return this.get(type)?.status === 'True';
  }

  /**
   * Sets conditions with the patch of the handler. `lastTransitionTime` changes only if the status does; `observedGeneration` is the
   * generation that the handler sees. Conditions of other types, and of other controllers, stay as they are.
   *
   * @example
   * conditions(context).set({ type: 'Ready', status: replicas > 0, reason: 'Replicas', message: `There are ${replicas}.` });
   */
  set(...updates: readonly ConditionUpdate[]): this {
    return this.change(updates, []);
  }

  /** Removes the conditions of the types. */
  remove(...types: readonly string[]): this {
    return this.change([], types);
  }

  /** Sets the conditions of an object that is as it should be: kstatus calls it `Current`. Sets `status.observedGeneration`, too. */
  ready(reason = 'Ready', message = ''): this {
    const ready = { type: 'Ready', status: true, reason, message };
    return this.change([ready], ['Reconciling', 'Stalled'], true);
  }

  /** Sets the conditions of an object that is being changed: kstatus calls it `InProgress`. Sets `status.observedGeneration`, too. */
  reconciling(reason = 'Reconciling', message = ''): this {
    const ready = { type: 'Ready', status: false, reason, message };
    return this.change([ready, { type: 'Reconciling', status: true, reason, message }], ['Stalled'], true);
  }

  /**
   * Sets the conditions of an object that needs help to become as it should be: kstatus calls it `Failed`. Sets
   * `status.observedGeneration`, too.
   */
  stalled(reason = 'Stalled', message = ''): this {
    const ready = { type: 'Ready', status: false, reason, message };
    return this.change([ready, { type: 'Stalled', status: true, reason, message }], ['Reconciling'], true);
  }

  private change(set: readonly ConditionUpdate[], remove: readonly string[], observe = false): this {
    const { patch, meta, started, runtime } = this.context;
    const now = started.getTime() + runtime * 1000;
    const { generation } = meta;
    const { ignoresGeneration } = this;
    patch.transform(changeConditions({ set, remove, observe, generation, now, ignoresGeneration }));
    return this;
  }

  /**
   * Whether changes of the generation alone are not written. Without the status subresource, each write of the status raises the
   * generation: handlers that are not only called for changes by users would be called again for their own writes.
   */
  private get ignoresGeneration(): boolean {
    const { resource } = this.context;
    if (!resource || resource.subresources.includes('status')) return false;
    return !(this.context as { readonly isOfUsers?: boolean }).isOfUsers;
  }
}

/**
 * Returns the conditions in the status of the object that is being handled.
 *
 * @example
 * @OnUpdate('kopfexamples.kopf.dev')
 * update(context: ChangeContext) {
 *   conditions(context).reconciling('Resizing', `The size becomes ${context.spec.size}.`);
 * }
 */
export function conditions(context: ConditionsContext): Conditions {
  return new Conditions(context);
}
