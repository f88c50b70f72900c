import { type Patch, remove } from '../patch.ts';

const reason = 'Nobody asks for it here, and it keeps much else from being left out.';

export const unused: readonly Patch[] = [
  remove(reason, "if (typeof define === 'function' && define.amd) {"),
  remove(
    reason,
    "if ((typeof module === 'undefined' ? 'undefined' : _typeof(module)) === 'object'",
  ),
  remove(reason, '__export(imports_exports, {'),
  remove(reason, 'axe.imports = imports_exports;'),
  remove(reason, 'lookupTable.attributes = {'),
  remove(reason, 'lookupTable.globalAttributes = ['),
  remove(reason, 'lookupTable.role = {'),
  remove(reason, 'lookupTable.implicitHtmlRole = implicit_html_roles_default;'),
  remove(reason, 'lookupTable.elementsAllowedNoRole = ['),
  remove(reason, 'lookupTable.elementsAllowedAnyRole = ['),
  remove(reason, 'lookupTable.evaluateRoleForElement = {'),
  remove(reason, 'lookupTable.rolesOfType = {'),
  remove(reason, 'var _thisWillBeDeletedDoNotUse = {'),
  remove(reason, 'var exposed_for_testing_default = _thisWillBeDeletedDoNotUse;'),
  remove(reason, 'axe._thisWillBeDeletedDoNotUse = exposed_for_testing_default;'),
];
