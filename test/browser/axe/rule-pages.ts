import { page } from '../../support/page-server.ts';
import { computedColors } from './style-values.ts';

/** Axe waits for what is to be played, up to ten seconds for what never comes. */
function silence(seconds: number): string {
  const bytesPerSecond = 8_000;
  const size = seconds * bytesPerSecond;
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + size, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(bytesPerSecond, 24);
  header.writeUInt32LE(bytesPerSecond, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(size, 40);
  return `data:audio/wav;base64,${Buffer.concat([header, Buffer.alloc(size, 128)]).toString('base64')}`;
}

/** Elements for each rule: such as it finds fault with, such as it doesn't, and such as it can't judge. */
const markup: Record<string, string> = {
  colors: computedColors
    .flatMap((color) => [
      `<p style="color:${color}">On white</p>`,
      `<p style="background:${color}">On a colour</p>`,
      `<p style="color:#888;text-shadow:0 0 2px ${color}">With a shadow</p>`,
    ])
    .join(''),
  'label in name': `
    <a href="/a" aria-label="Read more">Read on</a> <a href="/b" aria-label="read MORE, please">Read more</a>
    <button aria-label="Straße 12">Straße 12b</button> <button aria-label="日本語を読む">日本語</button>
    <button aria-label="can't stop">can't</button> <button aria-label="a_b c-d 3.5">a_b c 3,5</button>
    <button aria-label="🙂 smile (now)">smile</button> <button aria-label="ภาษาไทย">ไทย</button>
    <button aria-label="Save the date">Save date</button> <button aria-label="x1 y2">X1 Y2</button>`,
  images: `
    <img src="data:,"> <img src="data:," alt=""> <img src="data:," alt=" "> <img src="data:," alt="A chair">
    <img src="data:," role="none"> <img src="data:," role="presentation" tabindex="0">
    <img src="data:," title="Lamp"> <img src="data:," aria-label="Lamp"> <img src="data:," aria-labelledby="nowhere">
    <a href="/x"><img src="data:," ismap alt="map"></a>
    <img src="data:," usemap="#rooms" alt="rooms"><map name="rooms"><area href="/a" shape="rect" coords="0,0,1,1">
      <area href="/b" alt="Kitchen" shape="rect" coords="1,1,2,2"></map>
    <map name="unused"><area href="/c"></map>
    <svg role="img" width="9" height="9"><title>Star</title></svg> <svg role="img" width="9" height="9"></svg>
    <svg role="graphics-document" width="9" height="9"><title> </title><g role="graphics-symbol"></g></svg>
    <div role="img"></div> <div role="image" aria-label="Chart"></div>
    <object data="data:text/plain,x"></object> <object data="data:text/plain,x" title="Text"></object>
    <object data="data:text/plain,x">instead</object> <input type="image" src="data:,">
    <input type="image" src="data:," alt="Search">`,
  media: `
    <video src="data:,"></video> <video src="data:,"><track kind="captions" src="data:,"></video>
    <video src="${silence(1)}" autoplay muted></video> <video src="${silence(4)}" autoplay controls></video>
    <audio src="${silence(1)}" autoplay></audio> <audio src="${silence(4)}" autoplay></audio>
    <audio src="${silence(4)}" autoplay controls></audio> <audio src="${silence(4)}" autoplay loop></audio>
    <blink>blinking</blink> <marquee>rolling by</marquee>`,
  frames: `
    <iframe src="about:blank"></iframe> <iframe src="about:blank" title="One"></iframe>
    <iframe src="about:blank" title="One"></iframe> <iframe src="about:blank" title="Two" tabindex="-1"></iframe>
    <iframe src="about:blank" aria-label="Three" role="none"></iframe>`,
  controls: `
    <button></button> <button>Buy</button> <button aria-label="Buy"></button> <button title="Buy"></button>
    <button><img src="data:," alt="Buy"></button> <button><span hidden>Buy</span></button>
    <input type="button"> <input type="button" value="Go"> <input type="submit"> <input type="reset" value="">
    <input> <input aria-label="City"> <input title="City"> <input placeholder="City"> <label>City <input></label>
    <label for="city">City</label><input id="city"> <label for="town">A</label><label for="town">B</label><input id="town">
    <label for="hidden" hidden>Hidden</label><input id="hidden"> <input type="hidden"> <input type="checkbox">
    <input disabled> <input type="password" value="secret"> <input style="text-indent:-9999px" aria-label="x" value="gone">
    <textarea></textarea> <textarea aria-labelledby="city-label"></textarea><span id="city-label">Notes</span>
    <select><option>Any</select> <select aria-label="Size"><option selected>S<option>M</select> <select title="x"></select>
    <label>Wrapped <select><option>one</select></label> <fieldset disabled><legend>Legend</legend><input></fieldset>
    <input autocomplete="nonsense" aria-label="a"> <input autocomplete="email" aria-label="b" type="number">
    <input autocomplete="section-x shipping street-address" aria-label="c"> <input autocomplete="off" aria-label="d">
    <form autocomplete="on"><label>Field <input autocomplete="given-name" list="names"></label>
      <datalist id="names"><option value="Ann"></datalist></form>
    <details><summary></summary>text</details> <details open><summary>More</summary>text</details>
    <button aria-label="Close">Save</button> <a href="/x" aria-label="Read on">Read more</a>
    <div role="button" tabindex="0" aria-label="OK">okay</div> <button aria-label="save the file">Save</button>
    <button>x <a href="/y">link within</a></button> <div role="checkbox" tabindex="0"><span tabindex="0">in</span></div>`,
  links: `
    <a href="/a"></a> <a href="/b">B</a> <a href="/c"><img src="data:," alt=""></a> <a href="/d" title="D"></a>
    <a href="/e" aria-hidden="true">E</a> <a href="/f" tabindex="-1"></a> <a href="/g"><svg><title>G</title></svg></a>
    <a href="#stalls">Stalls</a> <a name="stalls"></a> <a href="/h"><span style="display:none">H</span></a>
    <a href="/i">😀</a> <a href="/j">…</a> <a href="/k">\u00a0</a>`,
  aria: `
    <div role="banana">fruit</div> <div role="widget">abstract</div> <div role="">empty</div> <div role="none article">two</div>
    <div role="directory">Sellers</div> <div role="button" aria-foo="1" tabindex="0">Buy</div>
    <div aria-checked="true">prohibited</div> <span aria-label="no name here">x</span> <p aria-labelledby="city-label">p</p>
    <div role="checkbox" tabindex="0"></div> <div role="checkbox" aria-checked="false" tabindex="0">C</div>
    <input type="checkbox" aria-checked="true" aria-label="c"> <div role="slider" tabindex="0" aria-valuenow="1"></div>
    <div role="combobox" aria-expanded="false" tabindex="0"></div> <div role="searchbox" tabindex="0" aria-label="s"></div>
    <div role="spinbutton" aria-valuenow="2" tabindex="0" title="n"></div> <div role="textbox" tabindex="0" aria-labelledby="city-label"></div>
    <div role="listbox" tabindex="0"><div role="option"></div><div role="option" aria-selected="true">one</div></div>
    <div role="list"><div>not an item</div></div> <div role="list"><div role="listitem">item</div></div> <div role="listitem">stray</div>
    <ul role="menu"><li role="menuitem"></li><li role="menuitemcheckbox" aria-checked="true"></li><li role="none"><a role="menuitem" href="/m">m</a></li></ul>
    <div role="tablist"><div role="tab"></div><div role="tab" aria-selected="true">T</div></div> <div role="tab">stray</div>
    <div role="tree"><div role="treeitem"></div></div> <div role="radiogroup"><div role="radio" aria-checked="true"></div></div>
    <div role="meter" aria-valuenow="1"></div> <div role="progressbar" aria-label="p"></div> <div role="tooltip"></div> <div role="tooltip">Tip</div>
    <div role="switch" aria-checked="true" tabindex="0"></div> <div role="heading">no level</div> <div role="heading" aria-level="9">nine</div>
    <table role="grid"><tr><td role="gridcell">g</td></tr></table> <div role="row"><div role="cell">stray</div></div>
    <div aria-hidden="true"><button>focusable</button></div> <div aria-hidden="true"><button tabindex="-1">not</button><input disabled></div>
    <div aria-labelledby="nowhere" role="region">r</div> <div aria-describedby="nowhere city-label">d</div>
    <input aria-invalid="true" aria-errormessage="error" aria-label="e"><span id="error" role="alert">Wrong</span>
    <button aria-controls="nowhere" aria-expanded="maybe">c</button> <div aria-live="loud">l</div> <div role="button" aria-pressed="mixed" tabindex="0">p</div>
    <button aria-braillelabel="b"></button> <div role="slide" aria-roledescription=" " aria-brailleroledescription="x">s</div>
    <div id="twice"></div><p id="twice">p</p><div aria-labelledby="twice" role="group"></div><label for="twice">l</label>
    <div role="row" aria-expanded="true" aria-posinset="1">not in a treegrid</div> <div aria-owns="owned" role="list"></div><div id="owned" role="listitem">o</div>
    <x-fancy role="button" tabindex="0"></x-fancy> <x-plain aria-label="custom">x</x-plain>`,
  lists: `
    <ul><div>no item</div></ul> <ul><li>item</li><script></script><template></template></ul> <ol>text<li>item</li></ol> <li>stray</li>
    <ul role="presentation"><li>p</li></ul> <ul><li role="menuitem">m</li></ul> <dl><p>no term</p></dl> <dl><dt>t<dd>d</dl> <dl><div><dt>t<dd>d</div></dl>
    <dl><dd>d<dt>t</dl> <dt>stray</dt> <div><dd>stray</dd></div>`,
  tables: `
    <table><caption>C</caption><tr><th id="price">Price</th><th scope="col">Size</th></tr><tr><td headers="cost">5</td><td headers="price">6</td></tr></table>
    <table><tr><th></th><th>Only headers</th></tr></table> <table><tr><th scope="row">R</th><td>1</td></tr><tr><th>S</th><td rowspan="0">2</td></tr></table>
    <table><tr><td colspan="2">wide</td></tr><tr><td>a</td><td>b</td></tr></table> <table role="none"><tr><th>x</th></tr></table>
    <table border="1"><thead><tr><th>A<th>B</thead><tbody><tr><td>1<td>2<tr><td>3<td>4</tbody></table>
    <table><tr><td id="self" headers="self">s</td></tr></table> <table><tr><th>H</th></tr><tr><td headers="">e</td></tr></table>`,
  languages: `
    <p lang="xx-invalid">Bonjour</p> <p lang="fr">Bonjour</p> <p lang="">?</p> <p xml:lang="de">Hallo</p> <p lang="en-"></p>
    <div lang="qqq"><img src="data:," alt="text"></div> <div lang="zz"><span lang="en">inner</span></div>`,
  spacing: `
    <p style="letter-spacing:.1px!important">Tight</p> <p style="word-spacing:1em!important">Wide</p> <p style="line-height:1!important">Low</p>
    <p style="line-height:2!important;letter-spacing:1em!important;word-spacing:2em!important">Loose</p> <p style="letter-spacing:.1px">Soft</p>`,
  scrolling: `
    <div style="height:40px;width:100px;overflow:auto"><p style="height:400px">Rules</p></div>
    <div style="height:40px;overflow:scroll" tabindex="0"><p style="height:400px">Focusable</p></div>
    <div style="height:40px;overflow:auto"><a href="/s">link</a><p style="height:400px">With a link</p></div>
    <div style="height:40px;overflow:hidden"><p style="height:400px">Hidden</p></div>
    <div style="width:80px;overflow-x:auto;white-space:nowrap">a long line of text that does not wrap at all</div>
    <div role="combobox" aria-controls="popup" aria-expanded="true" tabindex="0">c</div><div id="popup" role="listbox" style="height:20px;overflow:auto"><div role="option" style="height:80px">o</div></div>`,
};

const head = `<meta http-equiv="refresh" content="1200; url=/"><meta name="viewport" content="width=device-width, maximum-scale=1">`;

export const rulePages: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(markup).map(([name, body]) => [`/rules/${name}`, page(body)]),
  ),
  '/rules/everything': page(Object.values(markup).join('\n'), head),
  '/rules/document':
    '<html xml:lang="de"><body aria-hidden="true"><p>neither title nor language</p><a href="/x">x</a></body></html>',
  '/rules/unknown-language': page().replace('lang="en"', 'lang="xx" xml:lang="de-AT"'),
  '/rules/two-languages': page().replace('lang="en"', 'lang="en" xml:lang="de-AT"'),
  '/rules/modal': page(
    `<p style="color:#aaa">behind</p><a href="/x"></a><dialog><button></button><p style="color:#aaa">in front</p></dialog>
    <div inert><button></button><p style="color:#aaa">inert</p></div><script>document.querySelector('dialog').showModal()</script>`,
  ),
  '/rules/scrolled': page(
    `<p style="height:3000px;color:#aaa">tall</p><p style="color:#aaa">below</p><a href="/x" style="position:absolute;top:-90px">above</a>
    <div style="position:fixed;top:2000px;color:#aaa">below the fold</div><script>scrollTo(0, 1500)</script>`,
  ),
  // The items are as high as their markers until what is in them is laid out.
  '/rules/out-of-sight': page(
    `<div style="height:4000px"></div><ul>
    <li style="content-visibility:auto"><a href="/a" style="color:#999">Item</a></li>
    <li style="content-visibility:auto"><a href="/b" style="color:#999">Item</a></li></ul>
    <div style="content-visibility:hidden">text<b>bold</b></div><p style="color:#999">Below</p>`,
  ),
  '/rules/bypass':
    '<!doctype html><html lang="en"><title>t</title><body><a href="/x">x</a><p>no heading, no landmark</p></body></html>',
};
