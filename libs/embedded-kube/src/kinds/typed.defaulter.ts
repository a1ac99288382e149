import { isMapping } from '../common/json.values.js';
import type { FieldType, TypedField, TypedSchema, TypedStruct } from '../typed/typed.schema.js';
import { DEFAULT_RULES, type DefaultRule } from './default.rules.js';
import { TYPE_DEFAULTS } from './type-defaults.data.js';

type Values = Record<string, unknown>;

/** The defaults of a type and of all types below it. */
interface DefaultPlan {
  readonly constants: readonly (readonly [string, unknown])[];
  readonly rule: DefaultRule | undefined;
  /** The fields whose types have defaults. */
  readonly children: readonly ChildPlan[];
}

interface ChildPlan {
  readonly name: string;
  readonly kind: FieldType['kind'];
  /** Whether the structure exists even if it is not sent, as structures that are no pointers do. */
  readonly always: boolean;
  readonly plan: DefaultPlan;
}

/** The defaults of built-in types at every depth, those of a structure before those of its fields. */
export class TypedDefaulter {
  private readonly plans = new Map<string, DefaultPlan | undefined>();

  /**
   * @param constants by the names of types
   * @param rules by the names of types; after the constants
   */
  constructor(
    private readonly schema: TypedSchema,
    private readonly constants: Readonly<Record<string, object>> = TYPE_DEFAULTS,
    private readonly rules: Readonly<Record<string, DefaultRule>> = DEFAULT_RULES,
  ) {}

  /** @param object a decoded object, which is changed. @param type the name of its type: `core.v1.Pod` */
  setDefaults(object: Values, type: string): void {
    const plan = this.planOf(type);
    if (plan) follow(plan, object);
  }

  /** @returns `undefined` if nothing below the type has a default */
  private planOf(type: string): DefaultPlan | undefined {
    if (this.plans.has(type)) return this.plans.get(type);
    // Types that hold themselves have no defaults below.
    this.plans.set(type, undefined);
    const struct = this.schema.find(type);
    const constants = Object.entries(this.constants[type] ?? {}) as [string, unknown][];
    const rule = this.rules[type];
    const children = struct ? this.childrenOf(struct) : [];
    const plan =
      constants.length > 0 || children.length > 0 || rule !== undefined ? { constants, rule, children } : undefined;
    this.plans.set(type, plan);
    return plan;
  }

  private childrenOf(struct: TypedStruct): ChildPlan[] {
    return struct.fields.flatMap((field) => {
      const inlined = this.schema.inlined(field);
      return inlined ? this.childrenOf(inlined) : this.childOf(field);
    });
  }

  private childOf({ name, type, optional }: TypedField): ChildPlan[] {
    const item = type.kind === 'value' ? type : type.of;
    const plan = item.kind === 'value' && item.of.length > 1 ? this.planOf(item.of) : undefined;
    return plan ? [{ name, kind: type.kind, always: type.kind === 'value' && !optional, plan }] : [];
  }
}

function follow({ constants, rule, children }: DefaultPlan, object: Values): void {
  for (const [name, value] of constants) {
    const present = object[name];
    // An empty list is no list for the real server where it has one to put in its place.
    const isEmpty = Array.isArray(value) && Array.isArray(present) && present.length === 0;
    if (present === undefined || present === null || isEmpty) object[name] = copy(value);
  }
  rule?.(object);
  for (const { name, kind, always, plan } of children) {
    const child = object[name];
    if (child === undefined || child === null) {
      if (!always) continue;
      const added: Values = {};
      follow(plan, added);
      if (Object.keys(added).length > 0) object[name] = added;
    } else if (kind === 'list') {
      for (const item of child as unknown[]) if (isMapping(item)) follow(plan, item as Values);
    } else if (kind === 'map') {
      for (const item of Object.values(child)) if (isMapping(item)) follow(plan, item as Values);
    } else if (isMapping(child)) follow(plan, child as Values);
  }
}

function copy(value: unknown): unknown {
  return typeof value === 'object' ? structuredClone(value) : value;
}
