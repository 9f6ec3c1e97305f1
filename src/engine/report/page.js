/* Opens a section that a link leads to, and all for printing. Sorts the rows of a table by the chosen
 * column, by mouse or keyboard: numbers by data-v, texts by their content. */
const sort=e=>{const h=e.target.closest('thead th');if(!h)return;
if(e.key){if(e.key!=='Enter'&&e.key!==' ')return;e.preventDefault()}
const t=h.closest('table'),i=h.cellIndex,b=t.tBodies[0];
const down=h.getAttribute('aria-sort')!=='descending';
for(const o of t.tHead.rows[0].cells)o.removeAttribute('aria-sort');
h.setAttribute('aria-sort',down?'descending':'ascending');
const key=r=>{const c=r.cells[i],v=c.dataset.v;
return c.textContent===''?null:v===undefined?c.textContent:Number(v)};
const rows=[...b.rows].map(r=>[key(r),r]);
rows.sort((x,y)=>{const p=x[0],q=y[0];if(p===null||q===null)return(p===null)-(q===null);
const d=typeof p==='number'&&typeof q==='number'?p-q:String(p).localeCompare(String(q));
return down?-d:d});b.append(...rows.map(x=>x[1]))};
for(const event of['click','keydown'])document.addEventListener(event,sort);
const open=(within)=>document.querySelectorAll(within+' details').forEach(d=>d.open=true);
addEventListener('hashchange',()=>open(location.hash));
addEventListener('beforeprint',()=>open('main'));
