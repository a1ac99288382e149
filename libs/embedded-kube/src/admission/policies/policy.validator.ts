import { CelCompilationError, type CelProgram } from '../../cel/cel.environment.js';
import { BOOL, type CelType, listOf, NULL, STRING, struct } from '../../cel/values/cel.type.js';
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../errors/field.error.js';
import type { Draft } from '../../resources/kube-object.js';
import { pathSegment, qualifiedName, subdomain } from '../../resources/name.rules.js';
import { validateConditions } from '../webhooks/configuration/condition.validator.js';
import { validateRule } from '../webhooks/configuration/rule.validator.js';
import { validateSelector } from '../webhooks/configuration/selector.validator.js';
import { validateParamKind } from './param-kind.validator.js';
import { JSON_PATCH, PolicyCompiler } from './policy.compiler.js';
import type {
  BindingSpec,
  MatchResourcesSpec,
  MutationSpec,
  NamedRuleSpec,
  PolicySpec,
  ValidationSpec,
} from './policy.types.js';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const PARAMETER_ACTIONS = ['Deny', 'Allow'];
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const MOST_ANNOTATIONS = 20;
/** In bytes. */
const LONGEST_VALUE = 5 * 1024;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** Finds what is wrong with a ValidatingAdmissionPolicy. */
export function validateValidatingPolicy(policy: Draft): FieldError[] {
  const spec = (policy['spec'] ?? {}) as PolicySpec;
  const { validations = [], auditAnnotations = [] } = spec;
  const compiler = new PolicyCompiler(spec, false);
  const errors = [...validateCommon(spec, compiler)];
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const rule = 'validations or auditAnnotations must contain at least one item';
    return [...errors, requiredField('spec.validations', rule), requiredField('spec.auditAnnotations', rule)];
  }
  if (auditAnnotations.length > MOST_ANNOTATIONS) {
    const rule = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
    errors.push(invalidField('spec.auditAnnotations', auditAnnotations, rule));
  }
  errors.push(
    ...validations.flatMap((each, index) => validateValidation(each, `spec.validations[${index}]`, compiler)),
    ...auditAnnotations.flatMap(({ key, valueExpression }, index) => {
      const path = `spec.auditAnnotations[${index}]`;
      const name = policy.metadata.name ?? '';
      const problems = name ? qualifiedName(`${name}/${key ?? ''}`) : [];
      const shown = name ? `${name}/${key ?? ''}` : (key ?? '');
      const unnamed = name ? [] : [invalidField(`${path}.key`, shown, 'requires metadata.name be non-empty')];
      const keys = [...unnamed, ...problems.map((problem) => invalidField(`${path}.key`, shown, problem))];
      const isTaken = auditAnnotations.findIndex((each) => each.key === key) < index;
      const taken = isTaken ? [duplicateField(`${path}.key`, key ?? '')] : [];
      const values = validateValue(valueExpression?.trim() ?? '', `${path}.valueExpression`, compiler);
      return [...keys, ...values, ...taken];
    }),
  );
  return errors;
}

function validateValue(expression: string, path: string, compiler: PolicyCompiler): FieldError[] {
  if (!expression) return [requiredField(path, 'valueExpression is not specified')];
  if (Buffer.byteLength(expression) > LONGEST_VALUE) {
    return [requiredField(path, `must not exceed ${LONGEST_VALUE} bytes in length`)];
  }
  return compiled(expression, path, compiler, [STRING, NULL], false);
}

/** Finds what is wrong with a MutatingAdmissionPolicy. */
export function validateMutatingPolicy(policy: Draft): FieldError[] {
  const spec = (policy['spec'] ?? {}) as PolicySpec;
  const { mutations = [], reinvocationPolicy } = spec;
  const compiler = new PolicyCompiler(spec, true);
  const errors = [...validateCommon(spec, compiler)];
  errors.push(...validateMutatingOperations(spec.matchConstraints, 'spec.matchConstraints'));
  if (mutations.length === 0) errors.push(requiredField('spec.mutations', 'mutations must contain at least one item'));
  errors.push(...mutations.flatMap((each, index) => validateMutation(each, `spec.mutations[${index}]`, compiler)));
  if (!reinvocationPolicy) errors.push(requiredField('spec.reinvocationPolicy'));
  else if (!['IfNeeded', 'Never'].includes(reinvocationPolicy)) {
    errors.push(unsupportedField('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never']));
  }
  return errors;
}

/** Finds what is wrong with a binding. */
export function validateBinding(binding: Draft, isValidating: boolean): FieldError[] {
  const { policyName, paramRef, matchResources, validationActions = [] } = (binding['spec'] ?? {}) as BindingSpec;
  const errors: FieldError[] = policyName
    ? subdomain(policyName).map((problem) => invalidField('spec.policyName', policyName, problem))
    : [requiredField('spec.policyName')];
  if (paramRef) errors.push(...validateParamRef(paramRef));
  if (matchResources) errors.push(...validateMatch(matchResources, 'spec.matchResources'));
  if (!isValidating) return [...errors, ...validateMutatingOperations(matchResources, 'spec.matchResources')];
  const path = 'spec.validationActions';
  if (validationActions.length === 0) errors.push(requiredField(path, 'at least one validation action is required'));
  for (const [index, action] of validationActions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(unsupportedField(`${path}[${index}]`, action, ACTIONS));
    if (validationActions.indexOf(action) < index) errors.push(duplicateField(`${path}[${index}]`, action));
  }
  if (validationActions.includes('Deny') && validationActions.includes('Warn')) {
    errors.push(
      invalidField(
        path,
        ['Warn', 'Deny'],
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  }
  return errors;
}

function validateParamRef({
  name,
  selector,
  parameterNotFoundAction,
}: NonNullable<BindingSpec['paramRef']>): FieldError[] {
  const path = 'spec.paramRef';
  const exclusive = 'name and selector are mutually exclusive';
  const errors: FieldError[] = [];
  if (name) {
    errors.push(...pathSegment(name).map((problem) => invalidField(`${path}.name`, name, problem)));
    if (selector) errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  if (selector) {
    errors.push(...validateSelector(selector, `${path}.selector`));
    if (name) errors.push(forbiddenField(`${path}.selector`, exclusive));
  }
  if (!name && !selector) errors.push(requiredField(path, 'one of name or selector must be specified'));
  const at = `${path}.parameterNotFoundAction`;
  if (!parameterNotFoundAction) errors.push(requiredField(at));
  else if (!PARAMETER_ACTIONS.includes(parameterNotFoundAction)) {
    errors.push(unsupportedField(at, parameterNotFoundAction, PARAMETER_ACTIONS));
  }
  return errors;
}

/** Checks that a mutating policy does not match deletions, which it cannot see. */
function validateMutatingOperations(match: MatchResourcesSpec | undefined, path: string): FieldError[] {
  return (match?.resourceRules ?? [])
    .flatMap((rule) => rule.operations ?? [])
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => unsupportedField(`${path}.resourceRules.operations`, operation ?? '', MUTATING_OPERATIONS));
}

function validateCommon(spec: PolicySpec, compiler: PolicyCompiler): FieldError[] {
  const { paramKind, matchConstraints, matchConditions = [], variables = [], failurePolicy } = spec;
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !['Fail', 'Ignore'].includes(failurePolicy)) {
    errors.push(unsupportedField('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']));
  }
  if (paramKind) errors.push(...validateParamKind(paramKind));
  if (!matchConstraints) errors.push(requiredField('spec.matchConstraints'));
  else {
    errors.push(...validateMatch(matchConstraints, 'spec.matchConstraints'));
    if (!matchConstraints.resourceRules?.length) errors.push(requiredField('spec.matchConstraints.resourceRules'));
  }
  const validate = (expression: string, path: string): FieldError[] => compiled(expression, path, compiler, [BOOL]);
  errors.push(...validateConditions(matchConditions, 'spec.matchConditions', validate));
  for (const [index, variable] of variables.entries())
    errors.push(...validateVariable(variable, `spec.variables[${index}]`, compiler));
  return errors;
}

function validateVariable(
  { name, expression }: { readonly name: string; readonly expression: string },
  path: string,
  compiler: PolicyCompiler,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(requiredField(`${path}.name`, 'name is not specified'));
  else if (!IDENTIFIER.test(name)) errors.push(invalidField(`${path}.name`, name, 'must be a valid CEL identifier'));
  if (!expression?.trim()) return [...errors, requiredField(`${path}.expression`, 'expression is not specified')];
  try {
    compiler.addVariable(name, expression.trim());
  } catch (error) {
    compiler.addUnknownVariable(name);
    errors.push(failure(error, `${path}.expression`, expression));
  }
  return errors;
}

function validateValidation(validation: ValidationSpec, path: string, compiler: PolicyCompiler): FieldError[] {
  const { expression, message, messageExpression, reason } = validation;
  const errors = compiled(expression, `${path}.expression`, compiler, [BOOL]);
  if (messageExpression !== undefined) {
    errors.push(...compiled(messageExpression, `${path}.messageExpression`, compiler, [STRING], false));
  }
  if (message?.includes('\n')) errors.push(invalidField(`${path}.message`, message, 'must not contain line breaks'));
  else if (message !== undefined && !message.trim()) {
    errors.push(invalidField(`${path}.message`, message, 'message must be non-empty if specified'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(unsupportedField(`${path}.reason`, reason, REASONS.slice(0, 3)));
  }
  return errors;
}

function validateMutation(mutation: MutationSpec, path: string, compiler: PolicyCompiler): FieldError[] {
  const { patchType, applyConfiguration, jsonPatch } = mutation;
  if (!patchType) return [requiredField(`${path}.patchType`)];
  if (!PATCH_TYPES.includes(patchType)) return [unsupportedField(`${path}.patchType`, patchType, PATCH_TYPES)];
  const isPatch = patchType === 'JSONPatch';
  const field = isPatch ? 'jsonPatch' : 'applyConfiguration';
  const given = isPatch ? jsonPatch : applyConfiguration;
  const types = [isPatch ? listOf(JSON_PATCH) : struct('Object')];
  const errors = given
    ? compiled(given.expression, `${path}.${field}.expression`, compiler, types)
    : [requiredField(`${path}.${field}`, `must be specified when patchType is ${patchType}`)];
  const other = isPatch ? 'applyConfiguration' : 'jsonPatch';
  if (!mutation[other]) return errors;
  return [
    ...errors,
    invalidField(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`),
  ];
}

function validateMatch(spec: MatchResourcesSpec, path: string): FieldError[] {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector, matchPolicy } = spec;
  const errors: FieldError[] = [];
  if (matchPolicy !== undefined && !['Equivalent', 'Exact'].includes(matchPolicy)) {
    errors.push(unsupportedField(`${path}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']));
  }
  return [
    ...errors,
    ...validateSelector(namespaceSelector ?? {}, `${path}.namespaceSelector`),
    ...validateSelector(objectSelector ?? {}, `${path}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => validateNamedRule(rule, `${path}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => validateNamedRule(rule, `${path}.excludeResourceRules[${index}]`)),
  ];
}

function validateNamedRule(rule: NamedRuleSpec, path: string): FieldError[] {
  const { resourceNames = [] } = rule;
  const names = resourceNames.flatMap((name, index) => {
    const at = `${path}.resourceNames[${index}]`;
    const problems = pathSegment(name).map((problem) => invalidField(at, name, problem));
    return resourceNames.indexOf(name) < index ? [...problems, duplicateField(at, name)] : problems;
  });
  return [...names, ...validateRule(rule, path)];
}

/** Compiles an expression. @param types one of which its value has to have for certain */
function compiled(
  expression: string | undefined,
  path: string,
  compiler: PolicyCompiler,
  types: readonly CelType[],
  authorizes = true,
): FieldError[] {
  const trimmed = expression?.trim() ?? '';
  if (!trimmed) return [requiredField(path, 'expression is not specified')];
  let program: CelProgram;
  try {
    program = compiler.compile(trimmed, authorizes);
  } catch (error) {
    return [failure(error, path, trimmed)];
  }
  const { text } = program.type;
  if (types.some((type) => type.text === text)) return [];
  const wanted = types.length === 1 ? types[0]!.text : `one of [${types.map(({ name }) => name).join(' ')}]`;
  return [invalidField(path, trimmed, `must evaluate to ${wanted} but got ${text}`)];
}

function failure(error: unknown, path: string, expression: string): FieldError {
  if (error instanceof CelCompilationError)
    return invalidField(path, expression, `compilation failed: ${error.message}`);
  throw error;
}
