import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { type CompiledPolicy, compilePolicy } from './compiled.policy.js';
import { type BindingSpec, specOf } from './policy.types.js';

/** All policies of one sort that have bindings, in the order of their names. */
export class PolicySource {
  private compiled: readonly CompiledPolicy[] | undefined;

  constructor(
    private readonly store: ObjectStore,
    private readonly policyCollection: string,
    private readonly bindingCollection: string,
  ) {}

  /** Starts to follow the policies and the bindings. */
  start(): void {
    for (const key of [this.policyCollection, this.bindingCollection]) {
      this.store.collection(key).subscribe(() => (this.compiled = undefined));
    }
  }

  get policies(): readonly CompiledPolicy[] {
    return (this.compiled ??= this.compileAll());
  }

  private compileAll(): CompiledPolicy[] {
    const bindings = new Map<string, KubeObject[]>();
    for (const { object } of this.store.collection(this.bindingCollection).list()) {
      const { policyName } = specOf<BindingSpec>(object);
      bindings.set(policyName, [...(bindings.get(policyName) ?? []), object]);
    }
    return this.store
      .collection(this.policyCollection)
      .list()
      .flatMap(({ name, object }) => {
        const own = bindings.get(name);
        return own ? [compilePolicy(object, own)] : [];
      });
  }
}
