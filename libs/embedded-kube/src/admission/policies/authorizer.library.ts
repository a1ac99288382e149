import type { CelDeclaration } from '../../cel/checking/cel.functions.js';
import { type CelType, struct } from '../../cel/values/cel.type.js';
import { CelMap, CelOpaque, type CelValue } from '../../cel/values/cel.value.js';
import type { AuthorizationAttributes, Authorizer } from '../../machinery/authorizer.js';

const PREFIX = 'kubernetes.authorization';
const PATH_CHECK = struct(`${PREFIX}.PathCheck`);
const GROUP_CHECK = struct(`${PREFIX}.GroupCheck`);
const RESOURCE_CHECK = struct(`${PREFIX}.ResourceCheck`);
const DECISION = struct(`${PREFIX}.Decision`);
/** The type of the variable `authorizer`. */
export const AUTHORIZER: CelType = struct(`${PREFIX}.Authorizer`, new Map([['requestResource', RESOURCE_CHECK]]));
export const AUTHORIZER_TYPES: readonly CelType[] = [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION];

type Question = Omit<AuthorizationAttributes, 'verb'>;

/** The variable `authorizer`: the permissions of the user of a request. */
export class AuthorizerValue extends CelMap {
  override readonly structType = AUTHORIZER;
  readonly size = 1;

  /** @param request the resource and the object of the request */
  constructor(
    readonly authorizer: Authorizer,
    readonly request: Question,
  ) {
    super();
  }

  *keys(): Iterable<CelValue> {
    yield 'requestResource';
  }

  get(key: CelValue): CelValue | undefined {
    return key === 'requestResource' ? new Check(RESOURCE_CHECK, this.authorizer, this.request) : undefined;
  }
}

/** A question to the authorizer, built step by step. */
class Check extends CelOpaque {
  constructor(
    override readonly type: CelType,
    readonly authorizer: Authorizer,
    readonly question: Question,
  ) {
    super();
  }

  override equals(other: Check): boolean {
    return JSON.stringify(this.question) === JSON.stringify(other.question);
  }

  with(part: Partial<Question>, type = this.type): Check {
    return new Check(type, this.authorizer, { ...this.question, ...part });
  }

  check(verb: string): Decision {
    const question = { ...this.question, verb };
    const allowed = this.authorizer.authorize(question);
    return new Decision(allowed, (allowed && this.authorizer.explain?.(question)) || '');
  }
}

class Decision extends CelOpaque {
  override readonly type = DECISION;

  constructor(
    readonly allowed: boolean,
    readonly reason: string,
  ) {
    super();
  }

  override equals(other: Decision): boolean {
    return this.allowed === other.allowed && this.reason === other.reason;
  }
}

const begin = ({ authorizer, request }: AuthorizerValue, part: Partial<Question>, type: CelType): Check => {
  const question = { user: request.user, group: '', resource: '', namespace: '', name: '', ...part };
  return new Check(type, authorizer, question);
};

const asAccount = ({ authorizer, request }: AuthorizerValue, namespace: string, name: string): AuthorizerValue => {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return new AuthorizerValue(authorizer, {
    ...request,
    user: { name: `system:serviceaccount:${namespace}:${name}`, groups },
  });
};

/** Writes one of the types in a signature. */
const of = (name: string): string => `&${PREFIX}.${name}`;

/** The functions by which expressions ask what the user of a request may do. */
export const AUTHORIZER_LIBRARY: readonly CelDeclaration[] = [
  [
    'authorizer_path',
    `${of('Authorizer')}.path(string) ${of('PathCheck')}`,
    (authorizer: AuthorizerValue, path: string) => begin(authorizer, { path }, PATH_CHECK),
  ],
  [
    'authorizer_group',
    `${of('Authorizer')}.group(string) ${of('GroupCheck')}`,
    (authorizer: AuthorizerValue, group: string) => begin(authorizer, { group }, GROUP_CHECK),
  ],
  ['authorizer_serviceaccount', `${of('Authorizer')}.serviceAccount(string, string) ${of('Authorizer')}`, asAccount],
  [
    'groupcheck_resource',
    `${of('GroupCheck')}.resource(string) ${of('ResourceCheck')}`,
    (check: Check, resource: string) => check.with({ resource }, RESOURCE_CHECK),
  ],
  [
    'resourcecheck_subresource',
    `${of('ResourceCheck')}.subresource(string) ${of('ResourceCheck')}`,
    (check: Check, part: string) => check.with({ resource: `${check.question.resource.split('/')[0]}/${part}` }),
  ],
  [
    'resourcecheck_namespace',
    `${of('ResourceCheck')}.namespace(string) ${of('ResourceCheck')}`,
    (check: Check, namespace: string) => check.with({ namespace }),
  ],
  [
    'resourcecheck_name',
    `${of('ResourceCheck')}.name(string) ${of('ResourceCheck')}`,
    (check: Check, name: string) => check.with({ name }),
  ],
  // Rules of this server never allow something for a part of the objects only, so that selectors change no answer.
  [
    'authorizer_fieldselector',
    `${of('ResourceCheck')}.fieldSelector(string) ${of('ResourceCheck')}`,
    (check: Check) => check,
  ],
  [
    'authorizer_labelselector',
    `${of('ResourceCheck')}.labelSelector(string) ${of('ResourceCheck')}`,
    (check: Check) => check,
  ],
  [
    'pathcheck_check',
    `${of('PathCheck')}.check(string) ${of('Decision')}`,
    (check: Check, verb: string) => check.check(verb),
  ],
  [
    'resourcecheck_check',
    `${of('ResourceCheck')}.check(string) ${of('Decision')}`,
    (check: Check, verb: string) => check.check(verb),
  ],
  ['decision_allowed', `${of('Decision')}.allowed() bool`, (decision: Decision) => decision.allowed],
  ['decision_reason', `${of('Decision')}.reason() string`, (decision: Decision) => decision.reason],
  ['decision_errored', `${of('Decision')}.errored() bool`, () => false],
  ['decision_error', `${of('Decision')}.error() string`, () => ''],
];
