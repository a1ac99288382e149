import { inspect, type InspectOptions } from 'node:util';

/**
 * Decorates a class whose instances have objects of the cluster with values that must not be shown. Printing an instance, as
 * `console.log()`, debuggers, and error reporters do, shows the result of the function, and nothing else.
 *
 * @example
 * \@InspectedAs<KopfOperator>(({ state }) => ({ state }))
 * export class KopfOperator {}
 */
export function InspectedAs<T extends object>(
  describe: (instance: T) => object,
): (type: abstract new (...args: any[]) => T) => void {
  return (type) => {
    const value = function (this: T, depth: number, options: InspectOptions): string {
      return `${type.name} ${inspect(describe(this), { ...options, depth })}`;
    };
    Object.defineProperty(type.prototype, inspect.custom, { value, configurable: true });
  };
}
