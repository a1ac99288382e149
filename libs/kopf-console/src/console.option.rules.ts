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
export function createRoute({
  path = 'kopf',
  globalPrefix = true,
  operators = [DEFAULT_OPERATOR],
  hosts,
}: KopfConsoleControllerOptions): ConsoleRoute {
  return { path, globalPrefix, operators, hosts: hosts?.map((host) => host.toLowerCase()) };
}

/**
 * Checks what is shown and what viewers may do, and puts it over the defaults.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function completeSettings(settings: KopfConsoleSettings): CompleteConsoleSettings {
  const { actions = {}, history = {}, redact = [], traceUrl } = settings;
  const violations = [
    ...findOptionViolations(SettingsRules, settings),
    ...findOptionViolations(ActionsRules, actions, { titleOf: (name) => `actions.${name}` }),
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
    redact,
    history: { keep, perObject, objects, seconds },
    traceUrl,
  };
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
    (value, options) =>
      (value as readonly unknown[]).length > 0 && !options.authenticate
        ? 'needs actions.authenticate: without it, viewers are not known, and may do nothing'
        : undefined,
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
  @Rule(isObject) history: unknown;
  @Rule(isRedaction) redact: unknown;
  @Rule(isText, isTraceUrl) traceUrl: unknown;
}

/** The options of `forRoot()`. */
export const SYNC_OPTIONS = listSyncOptions(ConsoleModuleRules, SettingsRules);
