import type { CelType } from '../values/cel.type.js';
import type { CelFunctions } from './cel.functions.js';

/** The variables, types and functions that expressions can name. */
export interface CelDeclarations {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The types that expressions can name, by their full names. */
  readonly types: ReadonlyMap<string, CelType>;
  readonly functions: CelFunctions;
}

/** The variables of one place in an expression: those of the loops around it hide outer ones. */
export class CelScope {
  constructor(
    readonly parent: CelScope | undefined,
    private readonly variables: ReadonlyMap<string, CelType>,
  ) {}

  find(name: string): CelType | undefined {
    return this.variables.get(name) ?? this.parent?.find(name);
  }

  with(name: string, type: CelType): CelScope {
    return new CelScope(this, new Map([[name, type]]));
  }
}
