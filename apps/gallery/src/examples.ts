/** The resource that all operators of the gallery handle. */
export const EXAMPLES = 'kopfexamples.kopf.dev';
