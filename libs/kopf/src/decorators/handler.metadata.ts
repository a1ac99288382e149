import type { SelectorArgs } from '../interfaces/selector.interface.js';

/** The kinds of handlers, by their decorators. */
export type HandlerKind =
  | 'startup'
  | 'cleanup'
  | 'login'
  | 'probe'
  | 'create'
  | 'update'
  | 'delete'
  | 'resume'
  | 'field'
  | 'event'
  | 'daemon'
  | 'timer'
  | 'index'
  | 'validate'
  | 'mutate';

/** What one decorator says of its method. */
export interface HandlerMetadata {
  readonly kind: HandlerKind;
  /** The decorator's name as it is written in the code, for messages. */
  readonly decorator: string;
  /** Absent for the handlers of the operator's own life. */
  readonly selector?: SelectorArgs;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Where the decorators leave their metadata on a method: a list, as they stack. */
export const HANDLERS_METADATA = 'nestjs-kopf:handlers';

/** Adds metadata to a method, in the order in which decorators are written. */
export function addHandlerMetadata(metadata: HandlerMetadata): MethodDecorator {
  return (_target, _key, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as object;
    const others = (Reflect.getMetadata(HANDLERS_METADATA, method) as HandlerMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(HANDLERS_METADATA, [metadata, ...others], method);
  };
}
