import { KopfOptionsError } from 'nestjs-kopf';
import {
  checkOptions,
  ControllerModuleRules,
  DEFAULT_HISTORY,
  DEFAULT_OPERATOR,
  findHistoryViolations,
  findOptionViolations,
  isFlag,
  isFunction,
  isList,
  isObject,
  isRedaction,
  isText,
  isTraceUrl,
  listSyncOptions,
  must,
  Rule,
} from 'nestjs-kopf/tooling';
import type {
  CompleteConsoleSettings,
  ConsoleRoute,
  KopfConsoleActions,
  KopfConsoleAsyncOptions,
  KopfConsoleControllerOptions,
  KopfConsoleSettings,
} from './console.options.js';
import { ACTIONS } from './server/action.gate.js';

const MODULE = 'KopfConsoleModule';

/** The path of the console, unless the options set another one. */
export const DEFAULT_PATH = 'kopf';

/**
 * Checks what the controller is made of.
 *
 * @param known the names that a wrong one is compared with. @default those of `forRootAsync()`
 * @throws KopfOptionsError that names every bad option.
 */
export function checkModuleOptions(options: KopfConsoleAsyncOptions, known?: readonly string[]): void {
  checkOptions(ConsoleModuleRules, options, MODULE, { known });
}

/** Completes the options of the route with the defaults. */
export function createRoute(
  { path = DEFAULT_PATH, globalPrefix = true, operators = [DEFAULT_OPERATOR], hosts }: KopfConsoleControllerOptions,
  isGuarded: boolean,
): ConsoleRoute {
  return { path, globalPrefix, operators, hosts: hosts?.map((host) => host.toLowerCase()), isGuarded };
}

/**
 * Checks what is shown and what viewers may do, and puts it over the defaults.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function completeSettings(settings: KopfConsoleSettings): CompleteConsoleSettings {
  const { actions = {}, history = {}, redact = [], signIn, traceUrl } = settings;
  const violations = [
    ...findOptionViolations(SettingsRules, settings),
    ...findOptionViolations(ActionsRules, actions, { titleOf: (name) => `actions.${name}` }),
    ...findAnonymity(settings),
    ...findHistoryViolations(history),
  ];
  if (violations.length > 0) throw new KopfOptionsError(violations, MODULE);
  const {
    // Who opens the console wants to see what has happened before.
    keep = 'always',
    perObject = DEFAULT_HISTORY.perObject,
    objects = DEFAULT_HISTORY.objects,
    seconds = DEFAULT_HISTORY.seconds,
  } = history;
  return {
    actions: { ...actions, allow: actions.allow ?? [] },
    ...(signIn !== undefined && { signIn }),
    redact,
    history: { keep, perObject, objects, seconds },
    traceUrl,
  };
}

/** Viewers who are not known may do nothing. */
function findAnonymity({ actions, signIn }: KopfConsoleSettings): readonly string[] {
  const isOff = !Array.isArray(actions?.allow) || actions.allow.length === 0;
  if (isOff || actions.authenticate || signIn) return [];
  return [
    'actions.allow needs actions.authenticate or signIn: without them, viewers are not known, and may do nothing',
  ];
}

/** The least length of a password, so that an environment variable that is missing or empty is noticed. */
const SHORTEST_PASSWORD = 3;

function areCredentials(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  const isUsable = ([user, password]: [string, unknown]): boolean =>
    user !== '' && !user.includes(':') && typeof password === 'string' && password.length >= SHORTEST_PASSWORD;
  return entries.length > 0 && entries.every(isUsable);
}

/** The rules of the options that are known before the application starts. */
class ConsoleModuleRules extends ControllerModuleRules implements Record<keyof KopfConsoleAsyncOptions, unknown> {
  /** There can be several. */
  @Rule(must('left out: the names are given as operators', () => false)) override operator: unknown = undefined;
  @Rule(isFlag) globalPrefix: unknown;
  @Rule(
    isList,
    must('a list of names, each once', (value) => {
      const names = value as readonly unknown[];
      return (
        names.length > 0 && new Set(names).size === names.length && names.every((name) => typeof name === 'string')
      );
    }),
  )
  operators: unknown;
  @Rule(
    isList,
    must('a list of names of hosts, without ports', (value) =>
      (value as readonly unknown[]).every((host) => typeof host === 'string' && !/[:/]/.test(host)),
    ),
  )
  hosts: unknown;
}

class ActionsRules implements Record<keyof KopfConsoleActions, unknown> {
  @Rule(
    isList,
    must(`a list of ${ACTIONS.join(', ')}`, (value) =>
      (value as readonly unknown[]).every((action) => (ACTIONS as readonly unknown[]).includes(action)),
    ),
  )
  allow: unknown;
  @Rule(isFunction) authenticate: unknown;
  @Rule(
    must(
      "'subjectAccessReview' or a function",
      (value) => value === 'subjectAccessReview' || typeof value === 'function',
    ),
  )
  authorize: unknown;
}

/** The rules of the options that are made when the application starts. */
class SettingsRules implements Record<keyof KopfConsoleSettings, unknown> {
  @Rule(isObject) actions: unknown;
  @Rule(
    must(`passwords of at least ${SHORTEST_PASSWORD} characters by the names of users, or a function`, areCredentials),
  )
  signIn: unknown;
  @Rule(isObject) history: unknown;
  @Rule(isRedaction) redact: unknown;
  @Rule(isText, isTraceUrl) traceUrl: unknown;
}

/** The options of `forRoot()`. */
export const SYNC_OPTIONS = listSyncOptions(ConsoleModuleRules, SettingsRules);
