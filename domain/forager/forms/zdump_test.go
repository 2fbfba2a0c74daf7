package forms
import ("testing";"encoding/json";"os";"fmt";"bufio"
"understudy/domain/language";"understudy/domain/task";"understudy/domain/walk")
func TestZDump(t *testing.T){
 raw,_:=os.ReadFile("/tmp/corpus.json"); var all []string; json.Unmarshal(raw,&all)
 f,_:=os.Create(os.Getenv("ZOUT")); w:=bufio.NewWriter(f); defer f.Close(); defer w.Flush()
 ws:=func(x []language.Word)string{ o:=""; for _,y:=range x { o+=fmt.Sprintf("%s/%s/%.3f/%v%v%v%v ",y.Text,y.Lemma,y.IDF,y.Function,y.Verbatim,y.Capital,y.Part)}; return o}
 for _,s:=range all {
  o:=fmt.Sprintf("%q",s)
  p:=language.Read(s); o+=" | "+ws(p.Words)+fmt.Sprint(p.Concepts,p.Whole())
  for _,k:=range []language.Kind{"money","number","percent","clock","hours","date","year","duration","place","person","email","phone","contact","state"} { o+=fmt.Sprintf(" %s=%q",k,language.Find(k,s)) }
  g:=task.Parse(s,nil)
  for i:=range g.Subgoals { x:=&g.Subgoals[i]; o+=fmt.Sprintf(" || %s %s %s [%s] [%s] %s %s %d %d %s %s %v %v plain=%q conc=%v",x.Kind,x.Deed,x.Verb,ws(x.Object),ws(x.Place),x.Literal,x.Widget,x.Ordinal,x.Count,x.Order,x.Answer,x.Whether,x.Howto,x.Plain(),x.Concepts())
   for _,v:=range x.Values { o+=fmt.Sprintf(" <%s|%s|%s|%v%v%v%v%d [%s]>",v.Text,v.Input,v.Kind,v.Choose,v.New,v.Old,v.Both,v.Ordinal,ws(v.Hint)) } }
  o+=" F="+AsksFor(&walk.Element{Name:s})
  for _,r:=range []string{"again","optional","required","evasive","empty","awkward","yes","no","offers","declares","only digits","no spaces","more","less","each","generic","refuses","lives"} { if says(r,s) {o+=" "+r} }
  fmt.Fprintln(w,o)
 }
}
