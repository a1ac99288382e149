/** A class whose instances describe the objects of a resource, such as one with `@CustomResource()`. */
export type ObjectClass = abstract new (...args: any[]) => object;

/** The type of the `spec` of a class of objects; `any` if it has none. */
export type SpecOf<Class extends ObjectClass> = PartOf<InstanceType<Class>, 'spec'>;

/** The type of the `status` of a class of objects; `any` if it has none. */
export type StatusOf<Class extends ObjectClass> = PartOf<InstanceType<Class>, 'status'>;

type PartOf<Instance, Part extends string> = Part extends keyof Instance ? NonNullable<Instance[Part]> : any;
