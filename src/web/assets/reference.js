/* global SwaggerUIBundle -- from swagger-ui-bundle.js, which comes before this. */

/*
 * Starts Swagger UI on the document that #reference names, with a layout of our own and without
 * what keeps people with assistive technology from using it.
 */

const accessible = ({ React: { createElement } }) => ({
  components: {
    /** The usual one has a second <main>, and offers a choice of the one server. */
    ReferenceLayout: ({ getComponent }) => {
      const render = (name) => createElement(getComponent(name, true));
      return createElement(
        'div',
        { className: 'swagger-ui' },
        createElement(getComponent('SvgAssets')),
        ...['errors', 'InfoContainer', 'operations', 'Models'].map(render),
      );
    },
  },
  wrapComponents: {
    /** A link inside of the button that opens the operation; the button sets the address as well. */
    DeepLink:
      () =>
      ({ text }) =>
        createElement('span', null, text),
    /** A choice without a label. */
    ExamplesSelect: (Select) => (props) =>
      createElement(
        'label',
        { className: 'examples-label' },
        'Example: ',
        createElement(Select, { ...props, showLabels: false }),
      ),
    /** The editor of the request body, which has no label either. */
    TextArea: (TextArea) => (props) =>
      createElement(TextArea, { 'aria-label': 'Request body', ...props }),
  },
});

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () =>
  document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

const reference = document.querySelector('#reference');
SwaggerUIBundle({
  domNode: reference,
  url: reference.dataset.document,
  plugins: [accessible],
  layout: 'ReferenceLayout',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Its colours are too faint, and plain text can be read as well.
  syntaxHighlight: { activated: false },
  validatorUrl: null,
});
