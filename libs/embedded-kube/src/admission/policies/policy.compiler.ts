import { CelEnvironment, type CelProgram } from '../../cel/cel.environment.js';
import type { CelDeclaration } from '../../cel/checking/cel.functions.js';
import { type CelType, DYN, STRING, struct } from '../../cel/values/cel.type.js';
import { AUTHORIZER, AUTHORIZER_LIBRARY, AUTHORIZER_TYPES } from './authorizer.library.js';
import { ADMISSION_REQUEST, NAMESPACE_OBJECT } from '../webhooks/conditions/request.type.js';
import type { PolicySpec } from './policy.types.js';

/** The type of one operation of a JSON patch. */
export const JSON_PATCH = struct(
  'JSONPatch',
  new Map([
    ['op', STRING],
    ['path', STRING],
    ['from', STRING],
    ['value', DYN],
  ]),
);

const JSON_PATCH_LIBRARY: readonly CelDeclaration[] = [
  [
    'jsonpatch_escapekey',
    "'jsonpatch.escapeKey'(string) string",
    (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ],
];

/** A variable of a policy. */
export interface CompiledVariable {
  readonly name: string;
  readonly program: CelProgram;
}

/** The compiler of the expressions of one policy, which can use its parameters and the variables that stand before them. */
export class PolicyCompiler {
  private readonly variables = new Map<string, CelType>();

  /**
   * @param mutates whether expressions can make objects and patches
   * @param types the types of objects and parameters; by default, they can have any fields
   */
  constructor(
    private readonly spec: PolicySpec,
    private readonly mutates: boolean,
    private readonly types: { readonly object?: CelType; readonly params?: CelType } = {},
  ) {}

  /** The variables so far, as one object. */
  get variablesType(): CelType | undefined {
    return this.variables.size > 0 ? struct('kubernetes.variables', new Map(this.variables)) : undefined;
  }

  /** Compiles a variable, which later expressions can use. @throws CelCompilationError */
  addVariable(name: string, expression: string): CompiledVariable {
    const program = this.compile(expression);
    this.variables.set(name, program.type);
    return { name, program };
  }

  /** Lets later expressions use a variable whose own expression is wrong, so that one error is reported once. */
  addUnknownVariable(name: string): void {
    this.variables.set(name, DYN);
  }

  /** @param authorizes whether the expression can ask what the user may do. @throws CelCompilationError */
  compile(expression: string, authorizes = true): CelProgram {
    const { variablesType } = this;
    const { object = DYN, params = DYN } = this.types;
    const environment = new CelEnvironment({
      variables: {
        object,
        oldObject: object,
        request: ADMISSION_REQUEST,
        namespaceObject: NAMESPACE_OBJECT,
        ...(this.spec.paramKind && { params }),
        ...(variablesType && { variables: variablesType }),
        ...(authorizes && { authorizer: AUTHORIZER }),
      },
      types: [
        ...AUTHORIZER_TYPES,
        ...(variablesType ? [variablesType] : []),
        ...(this.mutates ? [JSON_PATCH, ...objectTypes(expression)] : []),
      ],
      functions: [...AUTHORIZER_LIBRARY, ...(this.mutates ? JSON_PATCH_LIBRARY : [])],
    });
    return environment.compile(expression);
  }
}

/** Returns the types of the objects that an expression makes: `Object`, `Object.spec`, `Object.spec.template`; they have all fields. */
function objectTypes(expression: string): CelType[] {
  const names = expression.match(/\bObject(\.[A-Za-z_]\w*)*(?=\s*\{)/g) ?? [];
  return [...new Set(names)].map((name) => struct(name, new AnyFields()));
}

class AnyFields extends Map<string, CelType> {
  override get(): CelType {
    return DYN;
  }

  override has(): boolean {
    return true;
  }
}
