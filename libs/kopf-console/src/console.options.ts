import type { CanActivate, FactoryProvider, ModuleMetadata, Type } from '@nestjs/common';
import type { RedactedFields } from 'nestjs-kopf';
import type { InspectionHistory } from 'nestjs-kopf/inspection';
import type { ConsoleAction } from './console.api.js';
import type { ConsoleViewer } from './console.operator.js';
import type { ActionRules, ConsoleAuthorization } from './server/action.gate.js';
import type { ConsoleSignIn } from './server/sign.in.js';

/** The options of the routes of the console; they must be known before the application starts. */
export interface KopfConsoleControllerOptions {
  /** The path of the console. @default 'kopf' */
  path?: string;
  /** Whether the console is under the global prefix of the application; with `false`, at the root. @default true */
  globalPrefix?: boolean;
  /** The operators that are shown, if they have names. @default the operator without a name */
  operators?: readonly string[];
  /**
   * The hosts for which the console is served: `['ops.example.com']`, without ports. Requests that name others are rejected.
   *
   * @default any, but only `localhost` and addresses where the connection comes from the same machine, as by `kubectl port-forward`
   */
  hosts?: readonly string[];
  /**
   * Guards of the controller: classes that are providers of the application's or of the imported modules, or instances. Without
   * guards, also of the whole application, and without `signIn`, a warning at the start says that the console has no login. An empty list
   * says that something before the application asks for one, such as a proxy.
   *
   * @default none
   */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
}

/** The options of what viewers may do, and how they are authenticated. Without it, they can only look. */
export interface KopfConsoleActions {
  /** The actions that are on. @default none */
  allow?: readonly ConsoleAction[];
  /**
   * Returns the viewer who has sent a request, such as what a guard has put on it; `undefined` if it is not known. It gets the request of
   * the framework. Actions need it, or the option `signIn`.
   *
   * @default who has signed in
   */
  authenticate?: (request: any) => ConsoleViewer | undefined | Promise<ConsoleViewer | undefined>;
  /**
   * The authorization of actions. By default, the API server is asked by a SubjectAccessReview: group `console.kopf.dev`, resource
   * `handlings`, the action as the verb, the namespace and the name of the object.
   *
   * @default 'subjectAccessReview'
   */
  authorize?: 'subjectAccessReview' | ConsoleAuthorization;
}

/** The limits of what is kept for viewers. */
export interface KopfConsoleHistory {
  /**
   * `always`: from the start on, so that viewers see what has happened before they came; `viewed`: from the first viewer until some time
   * after the last one, so that the console costs nothing without viewers. @default 'always'
   */
  keep?: 'viewed' | 'always';
  /** The most events of one object. @default 100 */
  perObject?: number;
  /** The most objects with a history. @default 10000 */
  objects?: number;
  /** Seconds for which a history with `keep: 'viewed'` is kept after the last viewer. @default 300 */
  seconds?: number;
}

/** The options of what is shown, and what viewers may do. */
export interface KopfConsoleSettings {
  /** The actions; all of them are off by default. */
  actions?: KopfConsoleActions;
  /**
   * The names and the passwords with which viewers sign in, or a function that checks them: browsers ask for both, and send them with each
   * request. A password that was right is not checked again for a minute. It is for applications whose own guards no browser passes; use it
   * over TLS, or by `kubectl port-forward`.
   *
   * @default all requests that pass the guards are answered
   */
  signIn?: ConsoleSignIn;
  /** Fields whose values are not shown, besides those of Secrets and of the setting `redaction.fields`. @default none */
  redact?: readonly RedactedFields[];
  history?: KopfConsoleHistory;
  /** The address of a trace, with `{traceId}` in it: `https://tempo.example.com/trace/{traceId}`. @default no links */
  traceUrl?: string;
}

/** The options of `KopfConsoleModule.forRoot()`. */
export interface KopfConsoleOptions
  extends KopfConsoleControllerOptions, KopfConsoleSettings, Pick<ModuleMetadata, 'imports' | 'providers'> {}

/** The factory of the options of the console but for those of the route; to be implemented by a provider of the application. */
export interface KopfConsoleOptionsFactory {
  createKopfConsoleOptions(): KopfConsoleSettings | Promise<KopfConsoleSettings>;
}

/** The options of `KopfConsoleModule.forRootAsync()`. What the route needs is given here. */
export interface KopfConsoleAsyncOptions
  extends KopfConsoleControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Makes the rest of the options out of the injected providers. */
  useFactory?: (...args: any[]) => KopfConsoleSettings | Promise<KopfConsoleSettings>;
  inject?: FactoryProvider['inject'];
  /** Is created to make the rest of the options. */
  useClass?: Type<KopfConsoleOptionsFactory>;
  /** Is there already, in the imported modules, to make the rest of the options. */
  useExisting?: Type<KopfConsoleOptionsFactory>;
}

/** The route of the console. */
export type ConsoleRoute = Required<Pick<KopfConsoleControllerOptions, 'path' | 'globalPrefix' | 'operators'>> &
  Pick<KopfConsoleControllerOptions, 'hosts'> & {
    /** Whether the options say who can reach the console, by guards or by an empty list of them. */
    readonly isGuarded: boolean;
  };

/** The settings with their defaults. */
export interface CompleteConsoleSettings {
  readonly actions: ActionRules;
  readonly signIn?: ConsoleSignIn;
  readonly redact: readonly RedactedFields[];
  readonly history: InspectionHistory;
  readonly traceUrl?: string;
}

/** Injection token of the route. */
export const KOPF_CONSOLE_ROUTE = Symbol('KOPF_CONSOLE_ROUTE');

/** Injection token of the options that are made when the application starts. */
export const KOPF_CONSOLE_SETTINGS = Symbol('KOPF_CONSOLE_SETTINGS');
