import type {
  SimulatedState,
  SimulationOptions,
  SimulationProperty,
  SimulationStatement,
} from '../simulation.options.js';
import type { SimulationFault } from '../simulation.plan.js';
import type { Violation } from './violation.js';

/** A property that did not hold in a run, and need not hold in it. */
export interface ExcusedProperty {
  /** The check with the name of the property: `eventually hasVolume`. */
  readonly property: string;
  /** The kind of the fault that makes it impossible; or `refused value`, if the operator or the API server refuses what the user wants. */
  readonly by: SimulationFault['kind'] | 'refused value';
}

/** Checks the user's properties. */
export class PropertyOracle {
  /** The names of those `sometimes` properties that have held. */
  readonly reached = new Set<string>();
  private readonly broken = new Map<string, Violation | ExcusedProperty>();

  constructor(
    private readonly options: Pick<SimulationOptions, 'always' | 'eventually' | 'sometimes'>,
    private readonly state: SimulatedState,
    /** The faults so far that can make properties impossible. */
    private readonly faults: () => readonly SimulationFault[] = () => [],
  ) {}

  get violations(): readonly Violation[] {
    return [...this.broken.values()].filter((each) => 'check' in each);
  }

  /** The properties that do not hold, and are excused. */
  get excused(): readonly ExcusedProperty[] {
    return [...this.broken.values()].filter((each) => 'by' in each);
  }

  /** Checks the `always` properties, and records the `sometimes` properties that hold, after a change or an effect. @returns new violations */
  onStep(): readonly Violation[] {
    const { always = [], sometimes = [] } = this.options;
    sometimes.forEach((property, index) => {
      const name = nameOf(property, index);
      if (!this.reached.has(name) && explain(property, this.state) === undefined) this.reached.add(name);
    });
    return this.check('always', always);
  }

  /** Checks the `eventually` properties. */
  onEnd(): void {
    this.check('eventually', this.options.eventually ?? []);
  }

  private check(check: 'always' | 'eventually', properties: readonly SimulationProperty[]): readonly Violation[] {
    const found: Violation[] = [];
    properties.forEach((property, index) => {
      const name = nameOf(property, index);
      const key = `${check} ${name}`;
      if (this.broken.has(key)) return;
      const reason = explain(property, this.state);
      if (reason === undefined) return;
      const by = this.faults().find((fault) => isExcuse(fault, property, { check, name }))?.kind;
      if (by !== undefined) return void this.broken.set(key, { property: key, by });
      const violation: Violation = { check, message: `${name}${reason && `: ${reason}`}` };
      this.broken.set(key, violation);
      found.push(violation);
    });
    return found;
  }
}

/** The name of a property in reports. */
export function nameOf(property: SimulationProperty, index: number): string {
  return statementOf(property).name || `property ${index + 1}`;
}

function statementOf(property: SimulationProperty): SimulationStatement {
  return typeof property === 'function' ? property : property.holds;
}

/** Whether a fault makes a property impossible: the property says so by `unless` or, without that option, the fault by `excuses`. */
function isExcuse(
  { kind, excuses }: SimulationFault,
  property: SimulationProperty,
  { check, name }: { readonly check: 'always' | 'eventually'; readonly name: string },
): boolean {
  if (typeof property !== 'function') return property.unless.includes(kind);
  return typeof excuses === 'string' ? excuses === check : excuses?.includes(name) === true;
}

/** The reason why a property does not hold; `undefined` if it holds. */
function explain(property: SimulationProperty, state: SimulatedState): string | undefined {
  try {
    const result = statementOf(property)(state);
    if (typeof result === 'string') return result;
    return result === false ? '' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
