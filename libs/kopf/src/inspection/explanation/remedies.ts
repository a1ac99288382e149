/** What would change what a sentence says, by the codes of the sentences. Of those that are left out, nothing has to change. */
const REMEDIES: Readonly<Record<string, string>> = {
  'never-handled': 'An operator whose handlers are for it handles it as soon as it is at work.',
  'change-not-handled': 'An operator whose handlers are for it handles the change as soon as it is at work.',
  'not-selected': 'Labels, annotations, or fields that the filters of a handler want.',
  'handler-waits':
    'It is made then; a change of the object does not make it earlier, but Retry now in the console does.',
  'handler-overdue': 'It is made as soon as an operator is at work.',
  'handler-begun': 'An operator that is at work calls it, or is calling it.',
  'handler-running': 'It has to return.',
  'handler-stuck': 'It has to return: give it a timeout; if it never returns, restart the operator.',
  'not-retried': 'A change of the object that a handler is for, or Handle again in the console.',
  'daemon-waits': 'It is made then.',
  'daemon-failed': 'A restart of the operator.',
  'deletion-waits-for-handlers': 'The handlers have to end; Release in the console removes the finalizer without them.',
  'deletion-without-operator': 'An operator that is at work begins with the deletion.',
  'deletion-blocked-by-others': 'The controller that has added the finalizer has to remove it.',
  'operator-idle': 'It handles the object when the reason is gone.',
  'not-seen': 'The permission to list and watch the resource, or its namespace among those that are served.',
  'state-not-stored':
    'The permission to patch the object, or a webhook that allows it; it is tried again from time to time.',
  'finalizer-not-stored':
    'The permission to patch the object, or a webhook that allows it; it is tried again from time to time.',
  'object-throttled': 'It is tried again after the pause; the log has the error.',
  'state-unreadable': 'Correct or remove what is there.',
  'peers-conflict': 'The operators need different priorities.',
  'namespace-not-served': 'Its namespace among those of the option namespaces.',
  'resource-not-served': 'The CustomResourceDefinition of the resource, or another name in the decorator.',
};

/** Adds to a sentence about an object what would change it. */
export function addRemedy<F extends { readonly code: string }>(finding: F): F & { readonly remedy?: string } {
  const remedy = REMEDIES[finding.code] as string | undefined;
  return remedy === undefined ? finding : { ...finding, remedy };
}
