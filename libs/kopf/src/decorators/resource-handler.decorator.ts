import type { SelectorArgs } from '../resources/selectors.js';
import { addHandlerMetadata, type HandlerKind } from './handler.metadata.js';

/** Lists the arguments of resource handlers' decorators: a selector in any of its forms, followed by options. */
export type ResourceHandlerArgs<Options> = SelectorArgs | readonly [...selector: SelectorArgs, options: Options];

/** Makes the decorator of a resource handler out of its arguments: all but the options are the selector. */
export function resourceHandler<Options extends object>(
  kind: HandlerKind,
  decorator: string,
  args: ResourceHandlerArgs<Options>,
): MethodDecorator {
  const last = args.at(-1);
  const hasOptions = args.length > 1 && typeof last === 'object' && last !== null;
  const selector = (hasOptions ? args.slice(0, -1) : args) as unknown as SelectorArgs;
  return addHandlerMetadata({ kind, decorator, selector, options: hasOptions ? { ...(last as object) } : {} });
}
