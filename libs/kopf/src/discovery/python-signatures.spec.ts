import { findPythonSignature } from './python-signatures.js';

/** Replaces a method by a function of any parameters. */
const Wrapped: MethodDecorator = (_target, _key, descriptor) => {
  const method = descriptor.value as unknown as (...args: unknown[]) => unknown;
  const wrapper = function (this: unknown, ...args: unknown[]): unknown {
    return method.apply(this, args);
  };
  return { ...descriptor, value: wrapper as never };
};

const Noted: MethodDecorator = () => undefined;

class Right {
  nothing() {}
  context(_context: unknown) {}
  event(event: unknown) {
    return event;
  }
  destructured({ spec, name }: any) {
    return [spec, name];
  }
  renamed({ spec: { size = Math.max(1, 2) }, ...others }: any = {}) {
    return [size, others];
  }
  async later(context: unknown) {
    return context;
  }
  optional(context?: unknown) {
    return context;
  }
  defaulted(context: unknown, spec = {}, name = '') {
    return [context, spec, name];
  }
  rest(...args: unknown[]) {
    return args;
  }
  contextAndRest({ spec }: any, ...names: unknown[]) {
    return [spec, names];
  }
  named(_spec: unknown) {}
  commented(/* spec, name */ context: unknown) {
    return context;
  }
  arrow = (context: unknown): unknown => context;
  lone = (it: unknown): unknown => it;
  bound = this.context.bind(this);
  @Wrapped
  wrapped(context: object) {
    return context;
  }
  @Noted
  noted(context: object) {
    return context;
  }
}

class Inheriting extends Right {}

class Wrong {
  two(spec: any, name: any) {
    return [spec, name];
  }
  async three(spec: any, name: any, logger: any) {
    return [spec, name, logger];
  }
  contextAndName(context: any, name: any) {
    return [context, name];
  }
  others(one: any, two: any) {
    return [one, two];
  }
  one(spec: any) {
    return spec;
  }
  optional(spec?: any, name?: any) {
    return [spec, name];
  }
  defaulted(spec: any = {}, name = 'a, b') {
    return [spec, name];
  }
  keywords(name: any, ...kwargs: any[]) {
    return [name, kwargs];
  }
  fields(old: any, new_: any) {
    return [old, new_];
  }
  commented(
    /** The spec. */
    spec: any,
    // The name (of the object).
    name: any,
  ) {
    return [spec, name];
  }
  async *generated(name: any) {
    yield name;
  }
  withoutDecorator(retry: any, runtime: any) {
    return [retry, runtime];
  }
  ofActivity(settings: any) {
    return settings;
  }
  arrow = (spec: any): unknown => spec;
  @Wrapped
  wrapped(theName: string) {
    return theName;
  }
  @Noted
  noted(theSize: number) {
    return theSize;
  }
}

class InheritingWrong extends Wrong {}

const ways = (destructured: string, decorated: string): string =>
  `but a handler is called with one argument, its context. Take the parts out of it, ${destructured}, ` +
  `or give each parameter a decorator, ${decorated}`;

describe('findPythonSignature', () => {
  const methodsOf = (instance: object): readonly string[] => [
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(instance)).filter((name) => name !== 'constructor'),
    ...Object.keys(instance),
  ];

  it.each(methodsOf(new Right()))('should take a method that takes its context: %s', (name) => {
    expect(findPythonSignature(new Right(), name)).toBeUndefined();
    expect(findPythonSignature(new Inheriting(), name)).toBeUndefined();
  });

  it.each(methodsOf(new Wrong()))('should find a method that is written as in Python: %s', (name) => {
    expect(findPythonSignature(new Wrong(), name)).toContain('one argument, its context');
    expect(findPythonSignature(new InheritingWrong(), name)).toBe(findPythonSignature(new Wrong(), name));
  });

  it.each([
    ['two', `it takes 2 arguments, ${ways('two({ spec, name })', 'two(@Spec() spec, @Name() name)')}`],
    ['others', `it takes 2 arguments, ${ways('others({ spec, name })', 'others(@Spec() spec, @Name() name)')}`],
    ['one', `it takes a part of the context as its first argument, ${ways('one({ spec })', 'one(@Spec() spec)')}`],
    [
      'keywords',
      `it takes a part of the context as its first argument, ${ways('keywords({ name, ...kwargs })', 'keywords(@Name() name)')}`,
    ],
    [
      'withoutDecorator',
      `it takes 2 arguments, ${ways('withoutDecorator({ retry, runtime })', 'withoutDecorator(@Retry() retry)')}`,
    ],
  ])('should show both right ways: %s', (name, message) => {
    expect(findPythonSignature(new Wrong(), name)).toBe(message);
  });
});
