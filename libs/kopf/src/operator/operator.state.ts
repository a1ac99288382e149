/**
 * Names the state of the operator.
 *
 * * `idle`: it was not started yet.
 * * `starting`: it gets ready: startup handlers, credentials, resources, first lists.
 * * `running`: it handles objects.
 * * `paused`: it is ready, but waits until other operators, or a person, let it handle objects.
 * * `stopping`: it takes no more events and finishes what it does.
 * * `stopped`: it has stopped, and can be started again.
 * * `failed`: it could not start, or could not continue; the error was logged. It starts again, unless it is required.
 */
export type OperatorState = 'idle' | 'starting' | 'running' | 'paused' | 'stopping' | 'stopped' | 'failed';
