/** A class whose instances describe the objects of a resource, such as one with `@CustomResource()`. */
export type ObjectClass = abstract new (...args: any[]) => object;

/** The type of the `spec` of a class of objects; `any` if it has none. */
export type SpecOf<Class extends ObjectClass> =
  InstanceType<Class> extends { readonly spec?: infer Spec } ? (unknown extends Spec ? any : NonNullable<Spec>) : any;

/** The type of the `status` of a class of objects; `any` if it has none. */
export type StatusOf<Class extends ObjectClass> =
  InstanceType<Class> extends { readonly status?: infer Status }
    ? unknown extends Status
      ? any
      : NonNullable<Status>
    : any;
