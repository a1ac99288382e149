import { CelCompilationError } from '../../cel/cel.environment.js';
import type { CelType } from '../../cel/values/cel.type.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceRegistry } from '../../resources/resource.registry.js';
import type { ServedResource } from '../../resources/served.resource.js';
import { objectType } from './object.types.js';
import { PolicyCompiler } from './policy.compiler.js';
import { type PolicySpec, specOf } from './policy.types.js';

/** A warning about an expression of a policy, as in its status. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** The number of kinds for which the expressions of a policy are checked; the real server leaves out the others, too. */
const MAX_KINDS = 10;

/** The check of a policy's validations by the types of the objects that it is for, which finds fields that objects do not have. */
export class PolicyTypeChecker {
  constructor(private readonly registry: ResourceRegistry) {}

  /** Returns the warnings about the expressions of a ValidatingAdmissionPolicy. */
  check(policy: KubeObject): ExpressionWarning[] {
    const spec = specOf<PolicySpec>(policy);
    const kinds = this.kindsOf(spec);
    if (kinds.length === 0) return [];
    const params = this.paramsType(spec);
    const compilers = kinds.map(({ served, type }) => ({ served, compiler: compilerFor(spec, type, params) }));
    const warnings: ExpressionWarning[] = [];
    const check = (expression: string | undefined, fieldRef: string): void => {
      if (!expression) return;
      const problems = compilers.flatMap(({ served, compiler }) => {
        const problem = problemOf(compiler, expression);
        return problem === undefined ? [] : [`${kindName(served)}: ${problem}\n`];
      });
      if (problems.length > 0) warnings.push({ fieldRef, warning: problems.join('\n') });
    };
    for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
      check(expression, `spec.validations[${index}].expression`);
      check(messageExpression, `spec.validations[${index}].messageExpression`);
    }
    return warnings;
  }

  /** Returns the kinds that the rules of a policy name, in the order of their names; rules with wildcards name none. */
  private kindsOf({ matchConstraints }: PolicySpec): { served: ServedResource; type: CelType }[] {
    const kinds = new Map<string, ServedResource>();
    for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
      if (apiGroups.includes('*') || apiVersions.includes('*')) continue;
      for (const group of apiGroups) {
        for (const version of apiVersions) {
          for (const plural of resources) {
            const served = this.registry.find(group, version, plural);
            if (served) kinds.set(kindName(served), served);
          }
        }
      }
    }
    const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, served]) => served);
    return sorted.slice(0, MAX_KINDS).flatMap((served) => {
      const type = objectType(served);
      return type ? [{ served, type }] : [];
    });
  }

  private paramsType({ paramKind }: PolicySpec): CelType | undefined {
    const served = paramKind && this.registry.findKind(paramKind.apiVersion, paramKind.kind);
    return served && objectType(served);
  }
}

function compilerFor(spec: PolicySpec, object: CelType, params: CelType | undefined): PolicyCompiler {
  const compiler = new PolicyCompiler(spec, false, { object, ...(params && { params }) });
  for (const { name, expression } of spec.variables ?? []) {
    try {
      compiler.addVariable(name, expression);
    } catch (error) {
      if (!(error instanceof CelCompilationError)) throw error;
      compiler.addUnknownVariable(name);
    }
  }
  return compiler;
}

function problemOf(compiler: PolicyCompiler, expression: string): string | undefined {
  try {
    compiler.compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof CelCompilationError) return error.message;
    throw error;
  }
}

/** Returns a kind as warnings name it: `/v1, Kind=Pod`. */
function kindName({ resource: { group, version, kind } }: ServedResource): string {
  return `${group}/${version}, Kind=${kind}`;
}
