/** A command to try, and what it is good for. */
export interface KubectlCommand {
  /** The arguments of kubectl, as they are typed into a shell. */
  readonly args: string;
  readonly comment?: string;
  /** Marks a command that goes on until it is ended by Ctrl-C. @default false */
  readonly endless?: boolean;
}

const FOLDER = 'k8s/ephemeral-volume-claims';

/** Lists the commands to try with the claim `my-claim`, in this order. */
export const KUBECTL_COMMANDS: readonly KubectlCommand[] = [
  { args: 'get evc,pvc' },
  { args: 'describe evc my-claim' },
  { args: `patch evc my-claim --type merge -p '{"spec": {"size": "2Gi"}}'` },
  { args: 'label evc my-claim application=some-app owner=me' },
  { args: `apply -f ${FOLDER}/pod.yaml`, comment: 'uses the volume for ten seconds, then the claim goes' },
  { args: 'get evc -w', comment: 'shows that, until Ctrl-C', endless: true },
  { args: 'delete pod my-pod', comment: 'the volume claim goes with its last pod' },
  { args: `apply -f ${FOLDER}/sample.yaml`, comment: 'the claim again' },
  { args: 'delete evc my-claim' },
];

/**
 * Formats the commands, one a line. The kubeconfig is named by an option: once it has been removed, kubectl says so in one line, while with the
 * environment it would go on to look for a server on the machine.
 */
export function formatCommands(kubeconfig: string): string {
  const lines = KUBECTL_COMMANDS.map(({ args, comment }) => ({
    command: `kubectl --kubeconfig ${kubeconfig} ${args}`,
    comment,
  }));
  const width = Math.max(...lines.map(({ command, comment }) => (comment ? command.length : 0)));
  return lines
    .map(({ command, comment }) => `  ${comment ? `${command.padEnd(width)}  # ${comment}` : command}`)
    .join('\n');
}
