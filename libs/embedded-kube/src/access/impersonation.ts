import { subdomain } from '../resources/name.rules.js';
import { badRequest } from '../errors/status.errors.js';
import type { StatusError } from '../errors/status.error.js';
import type { ApiUser } from '../machinery/api.user.js';
import { accessDenied } from './authorizer.js';
import type { AuthorizationAttributes, Authorizer } from '../machinery/authorizer.js';
import { accountGroups, accountOf, ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED } from './users.js';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
const NODE_PREFIX = 'system:node:';
const AUTHENTICATION = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Finds the user as whom a request is processed: `kubectl --as`, `--as-group`, `--as-uid`, `--as-user-extra`.
 *
 * A user may act as another one by the verb `impersonate` on all that the headers name, or by the narrower verbs of one of the modes
 * `associated-node`, `arbitrary-node`, `serviceaccount`, `user-info` together with the verb of the request, which are checked first.
 *
 * @param headers with several values of one header on separate lines
 * @param attributes of the request, as its sender's
 * @returns the sender, if the headers name no other user
 * @throws StatusError 400 if they name no user, 403 if the sender may not act as the user whom they name
 */
export function impersonatedUser(
  headers: Headers,
  attributes: AuthorizationAttributes,
  authorizer: Authorizer,
): ApiUser {
  const wanted = requestedUser(headers);
  if (!wanted) return attributes.user;
  let firstError: StatusError | undefined;
  for (const { mode, applies } of MODES) {
    if (!applies(wanted, attributes.user)) continue;
    const error = checkMode(mode, wanted, attributes, authorizer);
    if (!error) return completed(wanted, mode);
    firstError ??= error;
  }
  const error = checkUser('impersonate', '', wanted, attributes.user, authorizer);
  if (!error) return completed(wanted, undefined);
  throw firstError ?? error;
}

function requestedUser(headers: Headers): ApiUser | undefined {
  let found = false;
  for (const name in headers) if (name.startsWith(PREFIX)) found = true;
  if (!found) return undefined;
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = headers['impersonate-group']?.split('\n') ?? [];
  const extra: Record<string, readonly string[]> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (header.startsWith(EXTRA_PREFIX)) extra[unescaped(header.slice(EXTRA_PREFIX.length))] = value!.split('\n');
  }
  const hasExtra = Object.keys(extra).length > 0;
  const user = { name, groups, ...(uid && { uid }), ...(hasExtra && { extra }) };
  if (!name && (uid || groups.length > 0 || hasExtra)) {
    throw badRequest(`requested ${printed(user)} without impersonating a user name`);
  }
  return name ? user : undefined;
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase();
  } catch {
    return key;
  }
}

/** Describes the user as the real server prints it. */
function printed({ name, uid = '', groups, extra }: ApiUser): string {
  const list = (values: readonly string[]): string =>
    `[]string{${values.map((each) => JSON.stringify(each)).join(', ')}}`;
  const members = Object.entries(extra ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const group = groups.length > 0 ? list(groups) : '[]string(nil)';
  const extras = extra ? `map[string][]string{${members.join(', ')}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${group}, Extra:${extras}}`;
}

/** The narrower ways to act as another user, in the order in which they are tried. */
const MODES: readonly { readonly mode: string; readonly applies: (wanted: ApiUser, sender: ApiUser) => boolean }[] = [
  {
    mode: 'associated-node',
    applies: (wanted, { name, extra }) => {
      const node = nodeOf(wanted.name);
      const own = extra?.[NODE_NAME];
      return hasNameOnly(wanted) && !!accountOf(name) && !!node && own?.length === 1 && own[0] === node;
    },
  },
  { mode: 'arbitrary-node', applies: (wanted) => hasNameOnly(wanted) && !!nodeOf(wanted.name) },
  { mode: 'serviceaccount', applies: (wanted) => hasNameOnly(wanted) && !!accountOf(wanted.name) },
  { mode: 'user-info', applies: ({ name }) => !nodeOf(name) && !accountOf(name) },
];

function hasNameOnly({ uid, groups, extra }: ApiUser): boolean {
  return !uid && groups.length === 0 && !extra;
}

function nodeOf(user: string): string | undefined {
  const name = user.startsWith(NODE_PREFIX) ? user.slice(NODE_PREFIX.length) : '';
  return name && subdomain(name).length === 0 ? name : undefined;
}

function checkMode(
  mode: string,
  wanted: ApiUser,
  attributes: AuthorizationAttributes,
  authorizer: Authorizer,
): StatusError | undefined {
  const request = { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
  if (!authorizer.authorize(request)) return accessDenied(request);
  return checkUser(`impersonate:${mode}`, AUTHENTICATION, wanted, attributes.user, authorizer);
}

/** Checks all that is to be impersonated, each by itself. */
function checkUser(
  verb: string,
  group: string,
  wanted: ApiUser,
  user: ApiUser,
  authorizer: Authorizer,
): StatusError | undefined {
  const isNarrow = verb !== 'impersonate';
  const asked = (resource: string, name: string, of = group, namespace = ''): AuthorizationAttributes => ({
    user,
    verb,
    group: of,
    resource,
    namespace,
    name,
  });
  const account = accountOf(wanted.name);
  const node = isNarrow ? nodeOf(wanted.name) : undefined;
  const questions: AuthorizationAttributes[] = [];
  if (account) questions.push(asked('serviceaccounts', account.name, group, account.namespace));
  else if (node) questions.push(asked('nodes', verb === 'impersonate:associated-node' ? '*' : node));
  else questions.push(asked('users', wanted.name));
  if (wanted.uid) questions.push(asked('uids', wanted.uid, AUTHENTICATION));
  for (const each of wanted.groups) questions.push(asked('groups', each));
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const value of values) questions.push(asked(`userextras/${key}`, value, AUTHENTICATION));
  }
  const isPrivileged = (each: AuthorizationAttributes): boolean =>
    isNarrow && each.resource === 'groups' && (each.name === MASTERS || each.name === '');
  const denied = questions.find((each) => isPrivileged(each) || !authorizer.authorize(each));
  return denied && accessDenied(denied);
}

/** Adds the groups that follow from the name and from impersonation. */
function completed({ groups: given, ...user }: ApiUser, mode: string | undefined): ApiUser {
  const account = accountOf(user.name);
  const implied = mode?.endsWith('node') ? ['system:nodes'] : account ? accountGroups(account.namespace) : [];
  const groups = given.length > 0 ? given : implied;
  if (groups.includes(UNAUTHENTICATED)) return { ...user, groups };
  const last = user.name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return { ...user, groups: groups.includes(last) ? groups : [...groups, last] };
}
