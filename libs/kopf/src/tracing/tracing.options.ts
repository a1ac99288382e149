import type { FactoryProvider, ModuleMetadata, Type } from '@nestjs/common';
import type { TracerProvider } from '@opentelemetry/api';
import { checkOptions, isFlag, isText, must, Rule, satisfies } from '../settings/option.validation.js';

/** The options of what is traced. */
export interface KopfTracingSettings {
  /** The provider of the tracer. @default the provider that the application has registered with OpenTelemetry's API */
  tracerProvider?: TracerProvider;
  /**
   * Whether the trace context of an attempt is kept in the handler's progress in the object's annotations until the handler has finished,
   * so that the next attempt is linked to it also after a restart. It is a part of the patches that are sent anyway. Python Kopf ignores
   * and removes it.
   * @default false
   */
  storeTraceparent?: boolean;
  /**
   * The annotation of objects in which writers leave their `traceparent`: event cycles are linked to it; `false` for none.
   * @default 'traceparent'
   */
  writerAnnotation?: string | false;
  /**
   * Whether requests to the API server that belong to other spans have spans, which are sent to the server by the application's propagator.
   * Not needed where an instrumentation of HTTP clients does so. @default true
   */
  requests?: boolean;
  /**
   * Whether spans have the messages and stacks of errors that handlers throw, but never for Secrets; otherwise, only the types of errors.
   * @default true
   */
  errorMessages?: boolean;
}

/** The options of `KopfTracingModule.forRoot()`. */
export interface KopfTracingOptions extends KopfTracingSettings {
  /** The operator that is traced, if it has a name. Import the module once for each operator. @default the operator without a name */
  operator?: string;
}

/** The factory of the options of tracing; to be implemented by a provider of the application. */
export interface KopfTracingOptionsFactory {
  createKopfTracingOptions(): KopfTracingSettings | Promise<KopfTracingSettings>;
}

/** The options of `KopfTracingModule.forRootAsync()`, made when the application starts: by a function, or by a provider. */
export interface KopfTracingAsyncOptions
  extends Pick<KopfTracingOptions, 'operator'>, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Makes the settings out of the injected providers. */
  useFactory?: (...args: any[]) => KopfTracingSettings | Promise<KopfTracingSettings>;
  inject?: FactoryProvider['inject'];
  /** Is created to make the settings. */
  useClass?: Type<KopfTracingOptionsFactory>;
  /** Is there already, in the imported modules, to make the settings. */
  useExisting?: Type<KopfTracingOptionsFactory>;
}

/** Injection token of the settings with all defaults. */
export const KOPF_TRACING_SETTINGS = Symbol('KOPF_TRACING_SETTINGS');

/** The settings with all defaults, and the rules for them. */
export class TracingSettings implements KopfTracingSettings {
  @Rule(must('a TracerProvider of OpenTelemetry', isTracerProvider)) tracerProvider?: TracerProvider = undefined;
  @Rule(isFlag) storeTraceparent = false;
  @Rule(must('the name of an annotation, or false', (value) => value === false || satisfies(value, isText)))
  writerAnnotation: string | false = 'traceparent';
  @Rule(isFlag) requests = true;
  @Rule(isFlag) errorMessages = true;
}

/**
 * Completes the settings with the defaults.
 *
 * @throws KopfOptionsError that names every bad one.
 */
export function createTracingSettings(given: KopfTracingSettings): TracingSettings {
  checkOptions(TracingSettings, given, 'KopfTracingModule');
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.assign(new TracingSettings(), Object.fromEntries(present));
}

function isTracerProvider(value: unknown): boolean {
  return typeof (value as TracerProvider | null)?.getTracer === 'function';
}
