export { OnCleanup } from './on-cleanup.decorator.js';
export { OnCreate } from './on-create.decorator.js';
export { OnDelete } from './on-delete.decorator.js';
export { OnEvent } from './on-event.decorator.js';
export { OnField } from './on-field.decorator.js';
export { OnResume } from './on-resume.decorator.js';
export { OnStartup } from './on-startup.decorator.js';
export { OnUpdate } from './on-update.decorator.js';
