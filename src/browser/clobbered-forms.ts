import { ScanFailedError } from '../errors.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';

/** What axe-core asks of each element, and can't do without. */
const neededNames = [
  'nodeName',
  'nodeType',
  'childNodes',
  'parentNode',
  'getAttribute',
  'hasAttributes',
  'classList',
] as const;

/**
 * Throws `ScanFailedError` when a form has a field of such a name: it is what the form gives for that
 * property then, in every world, and axe-core would stumble over it or go in circles.
 */
export async function assertNoClobberedForm(worlds: IsolatedWorlds, frame: Frame): Promise<void> {
  const name = await worlds.call(frame, findClobberedName, neededNames);
  if (name === null) return;
  throw new ScanFailedError(
    'dom-clobbered',
    `A form on the page has a field with the name or id ${name}, which hides what axe-core needs to know of the form. Rename the field.`,
  );
}

/** Runs in the page. */
function findClobberedName(names: readonly string[]): string | null {
  const isClobbered = (form: Element, name: string): boolean =>
    form instanceof HTMLFormElement &&
    Reflect.get(form, name) !== Reflect.get(HTMLFormElement.prototype, name, form);
  const forms: Element[] = [...Document.prototype.querySelectorAll.call(document, 'form')];
  return names.find((name) => forms.some((form) => isClobbered(form, name))) ?? null;
}
